import { useEffect } from 'react'
import { useNavigate } from '../router/index.ts'
import type { Section } from './navigation.ts'
import { rowFor } from './row-keys.ts'

type Doors = { openPalette: () => void; openShortcuts: () => void }

/** The second key of a pair counts for this long. */
const pairMs = 1_200

/** Keys of the whole console: the palette, the field of a search, the rows of a list, and a pair of keys for each section. */
export function useShortcuts(sections: readonly Section[], { openPalette, openShortcuts }: Doors) {
  const navigate = useNavigate()
  useEffect(() => {
    let pairBegan = Number.NEGATIVE_INFINITY
    function onKeyDown(event: KeyboardEvent) {
      if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === 'k') return act(event, openPalette)
      if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return undefined
      const section = performance.now() - pairBegan < pairMs && sections.find(({ key }) => key === event.key)
      pairBegan = event.key === 'g' ? performance.now() : Number.NEGATIVE_INFINITY
      if (section) return act(event, () => navigate(section.path))
      const row = rowFor(event)
      if (row) return act(event, () => row.focus())
      if (event.key === '?') return act(event, openShortcuts)
      if (event.key === '/') return act(event, () => searchField()?.focus())
      return undefined
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  })
}

function act(event: KeyboardEvent, action: () => unknown) {
  event.preventDefault()
  action()
}

/** Where letters are typed, or a dialog has keys of its own. */
const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && !!target.closest('input, textarea, select, [contenteditable], [role="dialog"]')

const searchField = () => document.querySelector<HTMLInputElement>('main input[type="search"]')
