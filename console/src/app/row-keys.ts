const steps: Record<string, number> = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }

/** Rows of lists, in the order of the page: the link of each, or what opens it. */
const rowsOf = () => [...document.querySelectorAll<HTMLElement>('main [data-row]')]

/** Where letters and arrows choose something else. */
const hasOwnKeys = '[role="menu"], [role="listbox"], [role="radiogroup"], [role="tablist"], fieldset'

/** The row that the key leads to: the neighbour of the one with the focus, or the first that is in view. */
export function rowFor({ key, target, defaultPrevented }: KeyboardEvent): HTMLElement | undefined {
  const step = steps[key]
  if (!step || defaultPrevented || document.querySelector('[role="dialog"]:not([aria-modal="false"])')) return undefined
  const rows = rowsOf()
  const place = rows.indexOf(target as HTMLElement)
  if (place >= 0) return rows[place + step] ?? rows[place]
  return mayBegin(key, target) ? rows.find(isInView) : undefined
}

/** Arrows scroll, so that they begin a list only where nothing on the page was chosen yet. */
const mayBegin = (key: string, target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (key.startsWith('Arrow') ? target.matches('body, h1, main') : !target.closest(hasOwnKeys))

function isInView(row: HTMLElement): boolean {
  const { top, bottom, height } = row.getBoundingClientRect()
  return height > 0 && top >= 0 && bottom <= innerHeight
}
