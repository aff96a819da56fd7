/** From here on `table.module.css` has a form of its own for it. */
const narrow = matchMedia('(max-width: 640px)')

/**
 * Keeps a table within its frame, whatever comes to stand in it: whole where there is room, or without its minor columns, or each row as
 * a card. For the `ref` of the frame.
 */
export function fitTable(frame: HTMLElement | null) {
  if (!frame) return undefined
  const fit = () => {
    // As high as it was, so that the page does not scroll while it is measured.
    frame.style.height = `${frame.offsetHeight}px`
    frame.dataset.form = narrow.matches ? 'cards' : formFor(frame)
    frame.style.height = ''
  }
  let frameOfScreen = 0
  const fitSoon = () => {
    cancelAnimationFrame(frameOfScreen)
    frameOfScreen = requestAnimationFrame(fit)
  }
  fit()
  const sizes = new ResizeObserver(fitSoon)
  sizes.observe(frame)
  const content = new MutationObserver(fitSoon)
  content.observe(frame, { childList: true, characterData: true, subtree: true })
  return () => {
    cancelAnimationFrame(frameOfScreen)
    sizes.disconnect()
    content.disconnect()
  }
}

/** Of a table that is wider than its frame each column is as narrow as it can be. */
function formFor(frame: HTMLElement): 'whole' | 'brief' | 'cards' {
  frame.dataset.form = 'whole'
  const excess = widthOf(frame.querySelector('table')) - widthOf(frame)
  if (excess < 1) return 'whole'
  const minor = [...frame.querySelectorAll('th[data-minor]')].reduce((sum, head) => sum + widthOf(head), 0)
  return minor >= excess ? 'brief' : 'cards'
}

const widthOf = (element: Element | null) => element?.getBoundingClientRect().width ?? 0
