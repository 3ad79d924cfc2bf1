/* python.exe: the wheel that carries python3XX.dll has no program of its own. */
#include <windows.h>

typedef int (*python_main)(int argc, wchar_t **argv);

int wmain(int argc, wchar_t **argv)
{
    HMODULE python = LoadLibraryW(PYTHON_DLL);
    if (python == NULL)
        return 101; /* no status of Python's own */
    return ((python_main)(void *)GetProcAddress(python, "Py_Main"))(argc, argv);
}
