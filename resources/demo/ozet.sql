-- Bir saatin siparişlerini özete ekler / adds the orders of one hour to the summary.
-- Tabloda tekrara karşı hiçbir koruma yok: iki kez çalışsa toplamlar iki katına çıkardı.
-- The table has no guard of its own: if this ran twice, the totals would double.
INSERT INTO ozet (saat, adet, kurus)
SELECT :start, count(*), coalesce(sum(kurus), 0)
FROM siparis
WHERE an >= :start AND an < :end;
