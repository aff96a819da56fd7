// What the pages of the help gain by a script: the search, a button that copies code, and the choice of a theme. Without it all is there.
import { startCopying } from './copy.js'
import { startSamples } from './samples.js'
import { startSearch } from './search.js'
import { startThemes } from './themes.js'

startSearch(/** @type {HTMLElement} */ (document.querySelector('.search')))
startThemes(/** @type {HTMLElement} */ (document.querySelector('.tools')))
startCopying()
startSamples()

// On wide screens the list of pages is shown as it is, and is open for assistive technology, too.
const isWide = matchMedia('(min-width: 761px)')
const menu = /** @type {HTMLDetailsElement} */ (document.querySelector('.menu'))
const follow = () => (menu.open = isWide.matches)
isWide.addEventListener('change', follow)
follow()

// Only what scrolls is a stop of the Tab key.
for (const each of document.querySelectorAll('pre, .table'))
  if (each.scrollWidth <= each.clientWidth) each.removeAttribute('tabindex')

// Not into view: the Tab key would go on from there.
const doors = /** @type {HTMLElement} */ (document.querySelector('.doors'))
const here = /** @type {HTMLElement | null} */ (doors.querySelector('[aria-current]'))
if (here) doors.scrollTop = here.offsetTop - doors.clientHeight / 2
