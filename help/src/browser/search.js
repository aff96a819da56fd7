// The field in the header: a combobox over the index, which is loaded when somebody comes to the field.
import { find, firstMatch, sectionsOf, termsOf } from './ranking.js'

const mostResults = 12
const around = 60

/** @param {HTMLElement} search */
export function startSearch(search) {
  const input = /** @type {HTMLInputElement} */ (search.querySelector('input'))
  const list = /** @type {HTMLElement} */ (search.querySelector('[role=listbox]'))
  const status = /** @type {HTMLElement} */ (search.querySelector('[role=status]'))
  const root = new URL(search.dataset['root'] ?? './', location.href)
  /** @type {Promise<import('./ranking.js').Section[]> | undefined} */
  let index
  let active = -1

  const options = () => /** @type {HTMLElement[]} */ ([...list.children])

  const load = () => {
    index ??= fetch(new URL(search.dataset['index'] ?? '', location.href)).then(async (answer) => {
      if (!answer.ok) throw new Error(`The index was answered with ${answer.status}`)
      return sectionsOf(await answer.json())
    })
    index.catch(() => (index = undefined))
    return index
  }

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

  /** @param {boolean} open */
  const show = (open) => {
    list.hidden = !open
    input.setAttribute('aria-expanded', String(open))
    if (!open) choose(-1)
  }

  const answer = async () => {
    const query = input.value
    const terms = termsOf(query)
    if (terms.length === 0) {
      status.textContent = ''
      return show(false)
    }
    try {
      const found = find(await load(), query, mostResults)
      if (query !== input.value) return
      choose(-1)
      list.replaceChildren(...found.map((section, place) => option(section, place, terms, root)))
      status.textContent = found.length === 0 ? 'Nothing was found.' : `${found.length} found.`
      search.classList.toggle('empty', found.length === 0)
      show(found.length > 0)
    } catch {
      status.textContent = 'The index of the search could not be loaded.'
      search.classList.add('empty')
    }
  }

  const keys = {
    ArrowDown: () => choose((active + 1) % options().length),
    ArrowUp: () => choose((active <= 0 ? options().length : active) - 1),
    Enter: () => (options()[active] ?? options()[0])?.click(),
    Escape: () => show(false),
  }

  input.addEventListener('focus', () => void load().catch(() => {}))
  input.addEventListener('input', answer)
  input.addEventListener('keydown', (event) => {
    const act = keys[/** @type {keyof typeof keys} */ (event.key)]
    if (!act || list.hidden || event.isComposing) return
    event.preventDefault()
    act()
  })
  search.addEventListener('focusout', (event) => {
    if (!search.contains(/** @type {Node | null} */ (event.relatedTarget))) show(false)
  })
  input.addEventListener('click', () => show(list.children.length > 0 && input.value.trim() !== ''))
  list.addEventListener('click', () => show(false))
  document.addEventListener('keydown', (event) => {
    const { target, key, ctrlKey, metaKey, altKey } = event
    if (key !== '/' || ctrlKey || metaKey || altKey || /** @type {Element} */ (target).closest('input, textarea, select')) return
    event.preventDefault()
    input.focus()
    input.select()
  })
  search.hidden = false
}

/** @param {import('./ranking.js').Section} section @param {number} place @param {string[]} terms @param {URL} root */
function option({ address, anchor, title, heading, text, isPage }, place, terms, root) {
  const link = Object.assign(document.createElement('a'), {
    id: `result-${place}`,
    role: 'option',
    tabIndex: -1,
    href: new URL(address + (isPage ? '' : `#${anchor}`), root).href,
  })
  link.setAttribute('aria-selected', 'false')
  link.append(part('strong', ...marked(heading, terms)), isPage ? '' : part('span', title), part('small', ...excerpt(text, terms)))
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
  return found ? [text.slice(0, found[0]), part('mark', text.slice(...found)), text.slice(found[1])] : [text]
}

/** @param {string} tag @param {(string | Node)[]} content */
function part(tag, ...content) {
  const element = document.createElement(tag)
  element.append(...content)
  return element
}
