import { useState } from 'react'
import { Button } from '../design/button.tsx'
import { chooseTheme, storedTheme, themes } from './theme.ts'

const icons = { system: 'system', light: 'sun', dark: 'moon' } as const

/** Goes through the themes, one by one. */
export function ThemeButton() {
  const [theme, setTheme] = useState(storedTheme)
  const next = themes[(themes.indexOf(theme) + 1) % themes.length] ?? 'system'
  const choose = () => {
    chooseTheme(next)
    setTheme(next)
  }
  return (
    <Button
      tone="quiet"
      icon={icons[theme]}
      aria-label={`Theme: ${theme}`}
      title={`Theme: ${theme}`}
      onClick={choose}
    />
  )
}
