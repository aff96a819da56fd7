// The samples of a page with the address of this Signet and the id of an organization that the console is signed in to in this browser.
// Nothing else of a session comes into the page but the names of organizations to choose from; no key is ever in a session's description.
// What comes from outside only becomes text.

/** @typedef {{ node: Text, printed: string }} Sample */
/** @typedef {{ id: string, name: string }} Organization */

/** Where the help is, whatever stands in front of Signet: the scripts lie in a folder of it. */
const root = new URL('../', import.meta.url)
const places = /\$SIGNET_URL\b|\$SIGNET_ORGANIZATION_ID\b|(?:http:\/\/)?\blocalhost:8080\b/g
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
/** What a shell takes for nothing but an address. */
const harmless = /^https?:\/\/[\w.:[\]-]+(?:\/[\w.~-]+)*$/
const maxNameLength = 80

/** Without a session they stay as they are printed. */
export async function startSamples() {
  const samples = [...document.querySelectorAll('article pre')].flatMap(samplesIn)
  const address = new URL('../', root).href.replace(/\/$/, '')
  if (samples.length === 0 || root.origin !== location.origin || !harmless.test(address)) return
  const organizations = await findOrganizations().catch(() => [])
  if (organizations.length === 0) return
  document.querySelector('article h1')?.after(choiceOf(organizations, (id) => fill(samples, address, id)))
  fill(samples, address, organizations[0]?.id ?? '')
}

/** @param {Element} block @returns {Sample[]} */
function samplesIn(block) {
  const walker = document.createTreeWalker(block, NodeFilter.SHOW_TEXT)
  const found = []
  while (walker.nextNode()) {
    const node = /** @type {Text} */ (walker.currentNode)
    if (node.data.search(places) >= 0) found.push({ node, printed: node.data })
  }
  return found
}

/** @returns {Promise<Organization[]>} */
async function findOrganizations() {
  const reply = await fetch(new URL('../console/sessions', root), { headers: { 'Service-Console': '1' } })
  /** @type {{ result: { organization_id?: string, name?: string }[] }} */
  const { result } = await reply.json()
  // A session of the operator is of no organization.
  return result.flatMap(({ organization_id: id = '', name }) =>
    uuid.test(id) ? [{ id, name: String(name).slice(0, maxNameLength) }] : [],
  )
}

/** @param {Sample[]} samples @param {string} address @param {string} id Of the organization; empty: as they are printed. */
function fill(samples, address, id) {
  for (const { node, printed } of samples) {
    node.data = id ? printed.replace(places, (place) => (place === '$SIGNET_ORGANIZATION_ID' ? id : address)) : printed
    // It has become longer: what scrolls is a stop of the Tab key.
    const block = node.parentElement?.closest('pre')
    if (block && block.scrollWidth > block.clientWidth) block.tabIndex = 0
  }
}

/** @param {Organization[]} organizations @param {(id: string) => void} choose */
function choiceOf(organizations, choose) {
  const select = document.createElement('select')
  for (const { id, name } of organizations) select.add(new Option(name, id))
  select.add(new Option('nobody: as printed', ''))
  select.addEventListener('change', () => choose(select.value))
  const label = document.createElement('label')
  label.append('Samples for ', select)
  const line = Object.assign(document.createElement('p'), { className: 'samples' })
  line.append(label)
  return line
}
