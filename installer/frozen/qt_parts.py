"""Which of Qt's files a frozen Birkez carries: those of the modules that it draws with, in its languages."""

from __future__ import annotations

import re

_LANGUAGES = ("tr", "en")

# Plugins and libraries that PyInstaller brings along for uses that Birkez has none of.
_UNUSED = re.compile(
    r"""
    /plugins/(?:egldeviceintegrations|xcbglintegrations|wayland-graphics-integration-client  # OpenGL's
               |generic|networkinformation|platforminputcontexts/libqtvirtualkeyboard|tls
               |qmltooling|virtualkeyboard|printsupport|sqldrivers|position|multimedia)[/.]?
    | /plugins/platforms/(?:lib)?q(?:eglfs|linuxfb|minimalegl|vkkhrdisplay|vnc|direct2d)
    | /plugins/imageformats/(?:lib)?q(?:pdf|tga|tiff|wbmp|webp|icns|gif|jpeg)
    | (?:lib)?Qt6(?:Qml\w*|Quick\w*|Pdf\w*|VirtualKeyboard\w*|OpenGL|OpenGLWidgets|EglFS\w*|Sql|Test|PrintSupport)
      (?:\.so|\.dll)
    | /plugins/platformthemes/libqgtk3  # would load the desktop's GTK beside our copies of its libraries
    | opengl32sw\.dll
    """,
    re.VERBOSE | re.IGNORECASE,
)
_CATALOGUE = re.compile(r"/translations/(\w+?)_([a-z]{2,3}(?:_[A-Z]{2})?)\.qm$")


def is_wanted(path: str) -> bool:
    """Tell whether the file that is to lie at *path* of the program's folder belongs there."""
    path = path.replace("\\", "/")
    if "PySide6" not in path and "Qt6" not in path:
        return True
    catalogue = _CATALOGUE.search(path)
    if catalogue is not None:
        return catalogue[1] in {"qt", "qtbase"} and catalogue[2] in _LANGUAGES
    return _UNUSED.search(path) is None
