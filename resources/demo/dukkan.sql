-- Dükkânın kendi tabloları / the shop's own tables.
CREATE TABLE siparis (
    no    INTEGER PRIMARY KEY,
    an    TEXT NOT NULL,       -- 2026-09-04T10:05:00Z
    urun  TEXT NOT NULL,
    kurus INTEGER NOT NULL
);
CREATE INDEX siparis_an ON siparis (an);
CREATE TABLE ozet (
    saat  TEXT NOT NULL,
    adet  INTEGER NOT NULL,
    kurus INTEGER NOT NULL
);
