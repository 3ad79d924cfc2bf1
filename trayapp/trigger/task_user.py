"""Who is logged on here, as Windows names accounts: by its SID, which is the same in every language."""

from __future__ import annotations

import os
import sys

from trayapp.value import NamedTuple

if sys.platform == "win32":
    import ctypes
    from ctypes import wintypes

_NOBODY = "S-1-0-0"  # where there is no Windows: entries can be shown, none installed
_TOKEN_QUERY = 0x0008
_TOKEN_USER = 1
_UTF_8 = 65001  # the code page that a setting of Windows makes of it


class TaskUser(NamedTuple):
    r"""An account: its name (`PC\ayse`, empty where unknown), its SID, and the code page of its programs' output."""

    name: str
    sid: str
    code_page: str = "utf-8"


def current_user() -> TaskUser:
    """Account that this process runs as.

    Raises: OSError when the system does not tell.
    """
    if sys.platform == "win32":
        names = (os.environ.get("USERDOMAIN", ""), os.environ.get("USERNAME", ""))
        code_page = ctypes.WinDLL("kernel32").GetOEMCP()
        return TaskUser("\\".join(filter(None, names)), _sid(), f"cp{code_page}" if code_page != _UTF_8 else "utf-8")
    return TaskUser("", _NOBODY)


if sys.platform == "win32":

    def _sid() -> str:
        """SID of this process's account (GetTokenInformation, ConvertSidToStringSidW)."""
        kernel32 = ctypes.WinDLL("kernel32", use_last_error=True)
        advapi32 = ctypes.WinDLL("advapi32", use_last_error=True)
        kernel32.GetCurrentProcess.restype = wintypes.HANDLE
        kernel32.LocalFree.argtypes = (ctypes.c_void_p,)
        kernel32.CloseHandle.argtypes = (wintypes.HANDLE,)
        advapi32.OpenProcessToken.argtypes = (wintypes.HANDLE, wintypes.DWORD, ctypes.POINTER(wintypes.HANDLE))
        token = wintypes.HANDLE()
        if not advapi32.OpenProcessToken(kernel32.GetCurrentProcess(), _TOKEN_QUERY, ctypes.byref(token)):
            raise ctypes.WinError(ctypes.get_last_error())
        try:
            return _written_sid(advapi32, kernel32, token)
        finally:
            kernel32.CloseHandle(token)

    def _written_sid(advapi32: ctypes.WinDLL, kernel32: ctypes.WinDLL, token: wintypes.HANDLE) -> str:
        advapi32.GetTokenInformation.argtypes = (
            wintypes.HANDLE,
            ctypes.c_int,
            ctypes.c_void_p,
            wintypes.DWORD,
            ctypes.POINTER(wintypes.DWORD),
        )
        advapi32.ConvertSidToStringSidW.argtypes = (ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p))
        length = wintypes.DWORD()
        advapi32.GetTokenInformation(token, _TOKEN_USER, None, 0, ctypes.byref(length))
        buffer = ctypes.create_string_buffer(length.value)
        if not advapi32.GetTokenInformation(token, _TOKEN_USER, buffer, length, ctypes.byref(length)):
            raise ctypes.WinError(ctypes.get_last_error())
        sid = ctypes.cast(buffer, ctypes.POINTER(ctypes.c_void_p))[0]  # TOKEN_USER begins with a pointer to it
        text = ctypes.c_void_p()
        if not advapi32.ConvertSidToStringSidW(sid, ctypes.byref(text)):
            raise ctypes.WinError(ctypes.get_last_error())
        try:
            return ctypes.wstring_at(text.value or 0)
        finally:
            kernel32.LocalFree(text)
