// The samples of a page with the address of this Signet, and the id of an organization that the console is signed in to in this browser.
// Nothing else of a session is read: no key is in it, and whose it is stays out of the page. What comes from outside only ever becomes text.

const root = new URL('../', import.meta.url)
const places = /\$SIGNET_URL\b|\$SIGNET_ORGANIZATION_ID\b|(?:http:\/\/)?\blocalhost:8080\b/g
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
/** An address that a shell takes for nothing else. */
const harmless = /^https?:\/\/[\w.:[\]-]+(?:\/[\w.~-]+)*$/
const maxNameLength = 80

const samples = textsOf(document.querySelector('article'))
const { href: address } = new URL('../', root)
if (samples.length > 0) begin(address.replace(/\/$/, ''))

/** The parts of code that have something to fill in, as they are printed. */
function textsOf(article) {
  return [...(article?.querySelectorAll('pre') ?? [])].flatMap((block) => {
    const walker = document.createTreeWalker(block, NodeFilter.SHOW_TEXT)
    const found = []
    while (walker.nextNode()) if (walker.currentNode.data.search(places) >= 0) found.push(walker.currentNode)
    return found.map((node) => ({ node, printed: node.data }))
  })
}

async function begin(address) {
  const organizations = await findOrganizations().catch(() => [])
  if (organizations.length === 0 || root.origin !== location.origin || !harmless.test(address)) return
  const choose = (id) => {
    for (const { node, printed } of samples)
      node.data = id
        ? printed.replace(places, (place) => (place === '$SIGNET_ORGANIZATION_ID' ? id : address))
        : printed
  }
  document.querySelector('article h1')?.after(choice(organizations, choose))
  choose(organizations[0].id)
}

async function findOrganizations() {
  const reply = await fetch(new URL('../console/sessions', root), { headers: { 'Service-Console': '1' } })
  const { result } = await reply.json()
  // The operator's session is of none.
  return result
    .filter(({ organization_id: id }) => uuid.test(id))
    .map(({ organization_id: id, name }) => ({ id, name: String(name).slice(0, maxNameLength) }))
}

function choice(organizations, choose) {
  const select = document.createElement('select')
  for (const { id, name } of organizations) select.add(new Option(name, id))
  select.add(new Option('as printed', ''))
  select.addEventListener('change', () => choose(select.value))
  const label = document.createElement('label')
  label.append('Samples for ', select)
  const line = document.createElement('p')
  line.className = 'samples'
  line.append(label)
  return line
}
