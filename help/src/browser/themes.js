const themes = ['system', 'light', 'dark']
const { dataset } = document.documentElement

/** A button that goes through the themes, one by one, and keeps the choice for the console, too. */
/** @param {HTMLElement} tools */
export function startThemes(tools) {
  const button = Object.assign(document.createElement('button'), { type: 'button', className: 'theme' })
  const tell = () => {
    button.title = `Theme: ${dataset.theme ?? 'system'}`
    button.setAttribute('aria-label', button.title)
  }
  button.addEventListener('click', () => {
    choose(themes[(themes.indexOf(dataset.theme ?? 'system') + 1) % themes.length] ?? 'system')
    tell()
  })
  tell()
  tools.append(button)
}

/** @param {string} theme */
function choose(theme) {
  if (theme === 'system') delete dataset.theme
  else dataset.theme = theme
  try {
    localStorage.setItem('signet-theme', theme)
  } catch {
    // It holds until another page is opened.
  }
}
