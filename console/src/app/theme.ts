/** `system` follows the reader's system. Kept in this browser. */
export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

const key = 'signet-theme'

/** A browser may refuse to keep anything. */
export function storedTheme(): Theme {
  try {
    return themes.find((theme) => theme === localStorage.getItem(key)) ?? 'system'
  } catch {
    return 'system'
  }
}

export function chooseTheme(theme: Theme) {
  try {
    localStorage.setItem(key, theme)
  } catch {
    // It holds until the page is loaded again.
  }
  applyTheme(theme)
}

export function applyTheme(theme: Theme = storedTheme()) {
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
}
