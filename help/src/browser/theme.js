// Before anything is drawn: the theme that was chosen in this browser, here or in the console, as `console/src/app/theme.ts` keeps it.
try {
  const theme = localStorage.getItem('signet-theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
} catch {
  // A browser may refuse to keep anything: the system's theme.
}
