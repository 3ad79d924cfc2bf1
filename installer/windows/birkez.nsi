; Per-user installer for Windows. Built by `python3 installer/setup_exe.py`, which names
; VERSION, FROZEN (the folder to install), ICON and OUT.
;
; The 32-bit installer that makensis makes unasked would look into another registry.
Target amd64-unicode
!include MUI2.nsh
!include LogicLib.nsh
!include FileFunc.nsh
!include Win\COM.nsh
!include Win\Propkey.nsh

Name "Birkez"
OutFile "${OUT}"
RequestExecutionLevel user
InstallDir "$LOCALAPPDATA\Programs\Birkez"
InstallDirRegKey HKCU "Software\Birkez" "Folder"
SetCompressor /SOLID lzma
ManifestDPIAware true
BrandingText "Birkez ${VERSION}"
VIProductVersion "${VERSION}.0"
VIAddVersionKey "ProductName" "Birkez"
VIAddVersionKey "FileDescription" "Birkez"
VIAddVersionKey "FileVersion" "${VERSION}"
VIAddVersionKey "LegalCopyright" "MIT"

!define APP_ID "Birkez.Tray" ; as trayapp/frozen_start.py has it
!define UNINSTALL "Software\Microsoft\Windows\CurrentVersion\Uninstall\Birkez"
!define RUN "Software\Microsoft\Windows\CurrentVersion\Run"
!define MUI_ICON "${ICON}"
!define MUI_UNICON "${ICON}"
!define MUI_FINISHPAGE_RUN "$INSTDIR\birkez-tray.exe"
!define MUI_FINISHPAGE_RUN_TEXT "$(StartNow)"
!define MUI_COMPONENTSPAGE_NODESC

!insertmacro MUI_PAGE_WELCOME
!insertmacro MUI_PAGE_DIRECTORY
!insertmacro MUI_PAGE_COMPONENTS
!insertmacro MUI_PAGE_INSTFILES
!insertmacro MUI_PAGE_FINISH
!insertmacro MUI_UNPAGE_CONFIRM
!insertmacro MUI_UNPAGE_INSTFILES
!insertmacro MUI_LANGUAGE "English"
!insertmacro MUI_LANGUAGE "Turkish"

LangString StartNow ${LANG_ENGLISH} "Open Birkez now"
LangString StartNow ${LANG_TURKISH} "Birkez'i şimdi aç"
LangString Programs ${LANG_ENGLISH} "Birkez (needed)"
LangString Programs ${LANG_TURKISH} "Birkez (gerekli)"
LangString AtLogOn ${LANG_ENGLISH} "Start the icon when I log on"
LangString AtLogOn ${LANG_TURKISH} "Oturum açtığımda simgeyi başlat"
LangString InUse ${LANG_ENGLISH} "A job of Birkez is running, so its files cannot be replaced or removed. Wait until it has ended, then choose Retry."
LangString InUse ${LANG_TURKISH} "Birkez'in bir işi şu anda çalışıyor; bu yüzden dosyaları değiştirilemiyor ya da silinemiyor. İş bitince Yeniden Dene'yi seçin."
LangString AskTriggers ${LANG_ENGLISH} "Shall the jobs no longer start by themselves? Yes takes their tasks out of Task Scheduler. With No the tasks stay, and fail until Birkez is installed again."
LangString AskTriggers ${LANG_TURKISH} "İşler artık kendiliğinden başlamasın mı? Evet derseniz görevleri Görev Zamanlayıcı'dan silinir. Hayır derseniz görevler kalır ve Birkez yeniden kurulana kadar başarısız olur."
LangString AskData ${LANG_ENGLISH} "Shall jobs, history and records of what was done be deleted, too? With No they stay, and are there when Birkez is installed again."
LangString AskData ${LANG_TURKISH} "İşler, geçmiş ve nelerin yapıldığının kayıtları da silinsin mi? Hayır derseniz kalır; Birkez yeniden kurulunca yerindedir."

; End the tray, which holds files: asked to, then made to. A job that runs is never ended.
!macro EndTray
  nsExec::Exec '"$SYSDIR\taskkill.exe" /IM birkez-tray.exe'
  Pop $0
  ${For} $1 1 20
    nsExec::Exec '"$SYSDIR\taskkill.exe" /F /IM birkez-tray.exe'
    Pop $0
    ${If} $0 != 0
      ${ExitFor}
    ${EndIf}
    Sleep 100
  ${Next}
!macroend

; Sets $3 to "busy" while a job runs, else to "". Windows lets a program that runs be renamed, but
; not be opened for writing. (A check of the error flag clears it: each step has its own.)
!macro LookForJob
  StrCpy $3 "busy"
  ClearErrors
  FileOpen $2 "$INSTDIR\birkez.exe" a
  ${IfNot} ${Errors}
    FileClose $2
    ClearErrors
    FileOpen $2 "$INSTDIR\birkez-run.exe" a
    ${IfNot} ${Errors}
      FileClose $2
      StrCpy $3 ""
    ${EndIf}
  ${EndIf}
!macroend

; Asks until the person gives up; a silent installer says it by its exit status.
!macro AskOrLeave
  ${If} ${Silent}
    SetErrorLevel 5
    Abort
  ${EndIf}
  MessageBox MB_RETRYCANCEL|MB_ICONEXCLAMATION "$(InUse)" IDRETRY +3
    SetErrorLevel 5
    Abort
!macroend

; Put the old programs out of the way, whole or not at all: a folder of which a file is in use cannot be renamed.
Function MakeWay
  !insertmacro EndTray
  ${IfNot} ${FileExists} "$INSTDIR\_internal\*.*"
    Return
  ${EndIf}
  RMDir /r "$INSTDIR\_internal.old"
  Delete "$INSTDIR\birkez.old"
  ${Do}
    !insertmacro LookForJob
    ${If} $3 == ""
      ClearErrors
      Rename "$INSTDIR\birkez.exe" "$INSTDIR\birkez.old"
      ${IfNot} ${Errors}
        Rename "$INSTDIR\_internal" "$INSTDIR\_internal.old"
        ${IfNot} ${Errors}
          ${ExitDo}
        ${EndIf}
        Rename "$INSTDIR\birkez.old" "$INSTDIR\birkez.exe"
      ${EndIf}
    ${EndIf}
    !insertmacro AskOrLeave
  ${Loop}
FunctionEnd

; Write AppUserModelID into the shortcut's property store.
Function NameShortcut
  !insertmacro ComHlpr_CreateInProcInstance ${CLSID_ShellLink} ${IID_IShellLink} r0 ""
  ${If} $0 P<> 0
    ${IUnknown::QueryInterface} $0 '("${IID_IPersistFile}",.r1)'
    ${If} $1 P<> 0
      ${IPersistFile::Load} $1 '("$SMPROGRAMS\Birkez.lnk", ${STGM_READWRITE})'
      ${IUnknown::QueryInterface} $0 '("${IID_IPropertyStore}",.r2)'
      ${If} $2 P<> 0
        System::Call '*${SYSSTRUCT_PROPERTYKEY}(${PKEY_AppUserModel_ID})p.r3'
        System::Call '*(&w64 "${APP_ID}")p.r5'
        System::Call '*(&i2 ${VT_LPWSTR},&i2 0,&i2 0,&i2 0,p r5,p 0)p.r4'
        ${IPropertyStore::SetValue} $2 '($3,$4)'
        ${IPropertyStore::Commit} $2 ""
        ${IUnknown::Release} $2 ""
        System::Free $3
        System::Free $4
        System::Free $5
        ${IPersistFile::Save} $1 '("$SMPROGRAMS\Birkez.lnk",1)'
      ${EndIf}
      ${IUnknown::Release} $1 ""
    ${EndIf}
    ${IUnknown::Release} $0 ""
  ${EndIf}
FunctionEnd

Section "$(Programs)" Main
  SectionIn RO
  Call MakeWay
  SetOutPath "$INSTDIR"
  File /r "${FROZEN}\*.*"
  Delete "$INSTDIR\birkez.old"
  RMDir /r "$INSTDIR\_internal.old"
  WriteUninstaller "$INSTDIR\uninstall.exe"
  WriteRegStr HKCU "Software\Birkez" "Folder" "$INSTDIR"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayName" "Birkez"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayVersion" "${VERSION}"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayIcon" "$INSTDIR\birkez-tray.exe"
  WriteRegStr HKCU "${UNINSTALL}" "Publisher" "Birkez"
  WriteRegStr HKCU "${UNINSTALL}" "InstallLocation" "$INSTDIR"
  WriteRegStr HKCU "${UNINSTALL}" "UninstallString" '"$INSTDIR\uninstall.exe"'
  WriteRegStr HKCU "${UNINSTALL}" "QuietUninstallString" '"$INSTDIR\uninstall.exe" /S'
  WriteRegDWORD HKCU "${UNINSTALL}" "NoModify" 1
  WriteRegDWORD HKCU "${UNINSTALL}" "NoRepair" 1
  ${GetSize} "$INSTDIR" "/S=0K" $0 $1 $2
  WriteRegDWORD HKCU "${UNINSTALL}" "EstimatedSize" $0
  CreateShortCut "$SMPROGRAMS\Birkez.lnk" "$INSTDIR\birkez-tray.exe" "" "$INSTDIR\birkez-tray.exe"
  ; The taskbar and notifications know the program by this name, as the program itself says it.
  Call NameShortcut
  ; Where the system's way was not to be had, as on Wine.
  nsExec::Exec '"$INSTDIR\birkez-run.exe" --name-shortcut "$SMPROGRAMS\Birkez.lnk"'
  Pop $0
  ; Tasks that an older Birkez wrote start this one, if it lay elsewhere.
  nsExec::Exec '"$INSTDIR\birkez-run.exe" schedule check --repair'
  Pop $0
SectionEnd

Section "$(AtLogOn)" LogOn
  nsExec::Exec '"$INSTDIR\birkez-run.exe" log-on on'
  Pop $0
SectionEnd

Function .onInit
  ; An upgrade leaves the choice as it was made.
  ReadRegStr $0 HKCU "Software\Birkez" "Folder"
  ${If} $0 != ""
    ReadRegStr $1 HKCU "${RUN}" "Birkez"
    ${If} $1 == ""
      SectionSetFlags ${LogOn} 0
    ${EndIf}
  ${EndIf}
FunctionEnd

Section "Uninstall"
  !insertmacro EndTray
  ${Do}
    !insertmacro LookForJob
    ${If} $3 == ""
      ${ExitDo}
    ${EndIf}
    !insertmacro AskOrLeave
  ${Loop}
  MessageBox MB_YESNO|MB_ICONQUESTION "$(AskTriggers)" /SD IDYES IDNO keepTriggers
    nsExec::Exec '"$INSTDIR\birkez-run.exe" schedule remove --all'
    Pop $0
  keepTriggers:
  nsExec::Exec '"$INSTDIR\birkez-run.exe" log-on off'
  Pop $0
  MessageBox MB_YESNO|MB_ICONQUESTION|MB_DEFBUTTON2 "$(AskData)" /SD IDNO IDNO keepData
    RMDir /r "$LOCALAPPDATA\birkez"
  keepData:
  Delete "$SMPROGRAMS\Birkez.lnk"
  Delete "$INSTDIR\birkez.exe"
  Delete "$INSTDIR\birkez-tray.exe"
  Delete "$INSTDIR\birkez-run.exe"
  RMDir /r "$INSTDIR\_internal"
  Delete "$INSTDIR\uninstall.exe"
  RMDir "$INSTDIR"
  DeleteRegValue HKCU "${RUN}" "Birkez"
  DeleteRegKey HKCU "${UNINSTALL}"
  DeleteRegKey HKCU "Software\Birkez"
SectionEnd
