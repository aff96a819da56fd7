// What the pages of the help gain by a script: the search, a button that copies code, and the choice of a theme. Without it all is there.
import { startCopying } from './copy.js'
import { startSamples } from './samples.js'
import { startSearch } from './search.js'
import { startThemes } from './themes.js'

startSearch(/** @type {HTMLElement} */ (document.querySelector('.search')))
startThemes(/** @type {HTMLElement} */ (document.querySelector('.tools')))
startCopying()
startSamples()

// Only what scrolls is a stop of the Tab key.
for (const each of document.querySelectorAll('pre, .table'))
  if (each.scrollWidth <= each.clientWidth) each.removeAttribute('tabindex')

// Where there is room all pages are shown beside the text: to assistive technology, too, they are open.
const menu = /** @type {HTMLDetailsElement} */ (document.querySelector('.menu'))
const isNarrow = matchMedia('(max-width: 760px)')
const fold = () => (menu.open = !isNarrow.matches)
isNarrow.addEventListener('change', fold)
fold()

// Not into view: the Tab key would go on from there.
const doors = /** @type {HTMLElement} */ (document.querySelector('.doors'))
const here = /** @type {HTMLElement | null} */ (doors.querySelector('[aria-current]'))
if (here) doors.scrollTop = here.offsetTop - doors.clientHeight / 2
