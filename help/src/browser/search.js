// The field in the header: a combobox over the index, which is loaded when somebody comes to the field.
import { find, firstMatch, sectionsOf, termsOf } from './ranking.js'

const mostResults = 12
const around = 60
/** What is about the code comes after what is about its use. */
const weightOfOthers = 0.4

/** @param {HTMLElement} search */
export function startSearch(search) {
  const input = /** @type {HTMLInputElement} */ (search.querySelector('input'))
  const list = /** @type {HTMLElement} */ (search.querySelector('[role=listbox]'))
  const status = /** @type {HTMLElement} */ (search.querySelector('[role=status]'))
  const root = new URL(search.dataset.root ?? './', location.href)
  const index = createIndex((search.dataset.index ?? '').split(' '))
  const listbox = createListbox(input, list)

  /** @param {string} message @param {boolean} isAll */
  const tell = (message, isAll) => {
    status.textContent = message
    search.classList.toggle('told', isAll)
  }

  const answer = () => {
    const terms = termsOf(input.value)
    const found = find(index.sections, terms, mostResults)
    list.replaceChildren(...found.map((section, place) => option(section, place, terms, root)))
    listbox.open(found.length > 0)
    if (found.length > 0) tell(`${found.length} found`, false)
    else tell(terms.length > 0 && index.isWhole() ? 'Nothing was found.' : '', true)
  }

  input.addEventListener('focus', () => {
    index
      .load(() => listbox.active() < 0 && answer())
      .catch(() => tell('The index of the search could not be loaded.', true))
  })
  input.addEventListener('input', answer)
  input.addEventListener('click', answer)
  input.addEventListener('keydown', (event) => !list.hidden && listbox.follow(event))
  search.addEventListener('focusout', (event) => {
    if (!search.contains(/** @type {Node | null} */ (event.relatedTarget))) listbox.open(false)
  })
  list.addEventListener('click', () => listbox.open(false))
  focusBySlash(input)
  search.hidden = false
}

/** Its files are loaded one after the other, so that most is found before all has come. */
/** @param {string[]} files */
function createIndex(files) {
  const missing = [...files]
  /** @type {import('./ranking.js').Section[]} */
  const sections = []
  /** @type {Promise<void> | undefined} */
  let loading

  /** @param {() => void} onPart */
  const loadRest = async (onPart) => {
    for (let file = missing[0]; file; file = missing[0]) {
      const response = await fetch(new URL(file, location.href))
      if (!response.ok) throw new Error(`${file}: ${response.status}`)
      sections.push(...sectionsOf(await response.json(), sections.length === 0 ? 1 : weightOfOthers))
      missing.shift()
      onPart()
    }
  }

  return {
    sections,
    isWhole: () => missing.length === 0,
    /** @param {() => void} onPart */
    load: async (onPart) => {
      loading ??= loadRest(onPart).finally(() => (loading = undefined))
      await loading
    },
  }
}

/** The options below the field, of which the keys of the field make one the active one. */
/** @param {HTMLInputElement} input @param {HTMLElement} list */
function createListbox(input, list) {
  let active = -1
  const options = () => /** @type {HTMLElement[]} */ ([...list.children])

  /** @param {number} place */
  const choose = (place) => {
    options()[active]?.setAttribute('aria-selected', 'false')
    active = place
    const chosen = options()[active]
    chosen?.setAttribute('aria-selected', 'true')
    chosen?.scrollIntoView({ block: 'nearest' })
    if (chosen) input.setAttribute('aria-activedescendant', chosen.id)
    else input.removeAttribute('aria-activedescendant')
  }

  /** @param {boolean} isOpen */
  const open = (isOpen) => {
    list.hidden = !isOpen
    input.setAttribute('aria-expanded', String(isOpen))
    choose(-1)
  }

  const keys = {
    ArrowDown: () => choose((active + 1) % options().length),
    ArrowUp: () => choose((active <= 0 ? options().length : active) - 1),
    Enter: () => (options()[active] ?? options()[0])?.click(),
    Escape: () => open(false),
  }

  /** @param {KeyboardEvent} event */
  const follow = (event) => {
    const act = keys[/** @type {keyof typeof keys} */ (event.key)]
    if (!act || event.isComposing) return
    event.preventDefault()
    act()
  }

  return { active: () => active, open, follow }
}

/** @param {HTMLInputElement} input */
function focusBySlash(input) {
  document.addEventListener('keydown', (event) => {
    if (!asksForSearch(event)) return
    event.preventDefault()
    input.focus()
    input.select()
  })
}

/** @param {KeyboardEvent} event */
const asksForSearch = ({ key, ctrlKey, metaKey, altKey, target }) =>
  key === '/' &&
  !ctrlKey &&
  !metaKey &&
  !altKey &&
  !(target instanceof Element && target.closest('input, textarea, select'))

/** @param {import('./ranking.js').Section} section @param {number} place @param {string[]} terms @param {URL} root */
function option({ address, anchor, title, heading, text, isPage }, place, terms, root) {
  const link = Object.assign(document.createElement('a'), {
    id: `help.result-${place}`,
    role: 'option',
    tabIndex: -1,
    href: new URL(address + (isPage ? '' : `#${anchor}`), root).href,
  })
  link.setAttribute('aria-selected', 'false')
  link.append(
    part('strong', ...marked(heading, terms)),
    isPage ? '' : part('span', title),
    part('small', ...excerpt(text, terms)),
  )
  return link
}

/** @param {string} text @param {string[]} terms */
function excerpt(text, terms) {
  const [from = 0] = firstMatch(text, terms) ?? []
  const begin = from < around ? 0 : text.lastIndexOf(' ', from - around / 2) + 1
  return [begin > 0 ? '… ' : '', ...marked(text.slice(begin, begin + 3 * around), terms)]
}

/** @param {string} text @param {string[]} terms @returns {(string | Node)[]} */
function marked(text, terms) {
  const found = firstMatch(text, terms)
  if (!found) return [text]
  return [text.slice(0, found[0]), part('mark', text.slice(...found)), ...marked(text.slice(found[1]), terms)]
}

/** @param {string} tag @param {(string | Node)[]} content */
function part(tag, ...content) {
  const element = document.createElement(tag)
  element.append(...content)
  return element
}
