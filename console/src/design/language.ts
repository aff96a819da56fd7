// Imported before uPlot, which formats numbers by `navigator.language` while it loads. Chromium without a locale of the system
// says `en-US@posix` there, which is no language tag, and uPlot would not load.
try {
  Intl.getCanonicalLocales(navigator.language)
} catch {
  Object.defineProperty(navigator, 'language', { value: 'en-US' })
}

export {}
