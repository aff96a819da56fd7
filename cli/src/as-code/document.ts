import { type Document, LineCounter, type Node, parseAllDocuments } from 'yaml'
import { applications } from './applications.ts'
import { credentials } from './credentials.ts'
import { type FieldType, secret, text } from './field-types.ts'
import { groups } from './groups.ts'
import { FileError, type Problem } from './problems.ts'
import { createReading, type Reading } from './reading.ts'
import type { Section } from './section.ts'
import { settingTypes } from './settings.ts'
import { readThing, readThings, type Wanted } from './things.ts'
import type { Environment } from './variables.ts'
import { webhooks } from './webhooks.ts'

/** Ten thousand groups with long descriptions. */
const maxBytes = 16 * 1024 * 1024
const maxDocuments = 100

/** In the order in which they are read, shown and made. */
export const sections: Section[] = [groups, webhooks, credentials, applications]

/** An organization as one document of the file has it. What is undefined is not managed. */
export type WantedOrganization = {
  organizationId: string | undefined
  apiKey: string | undefined
  pricingTier: string | undefined
  settings: Wanted | undefined
  things: Partial<Record<Section['name'], Wanted[]>>
  refuse: (member: string, rule: string) => void
}

const heads = {
  version: { read: (reading, spot) => (reading.scalar(spot) === 1 ? 1 : reading.refuse(spot, 'must be 1')) },
  organization: text({
    pattern: /^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$/,
    rule: 'must be the ID of an organization',
  }),
  api_key: secret,
  pricing_tier: text({ min: 1, max: 200 }),
} satisfies Record<string, FieldType>
const members = [...Object.keys(heads), 'settings', ...sections.map(({ name }) => name)]

/** Reads a file: one organization for each of its documents. Throws a `FileError` with all that is wrong. */
export function readFile(file: string, content: string, environment: Environment) {
  const problems: Problem[] = []
  const stopAtProblems = () => {
    if (problems.length > 0) throw new FileError(file, problems)
  }
  const refuseFile = (message: string) => problems.push({ line: 1, column: 1, message })
  if (Buffer.byteLength(content) > maxBytes) refuseFile(`must be at most ${maxBytes} bytes`)
  stopAtProblems()
  const { documents, lines } = parse(content)
  problems.push(...documents.flatMap((document) => syntaxProblems(document, lines)))
  if (documents.length === 0) refuseFile('is empty')
  if (documents.length > maxDocuments) refuseFile(`must have at most ${maxDocuments} documents`)
  stopAtProblems()
  const reading = createReading(lines, environment)
  const organizations = documents.map((document) => readOrganization(reading, document.contents as Node | null))
  problems.push(...reading.problems)
  stopAtProblems()
  const read = organizations.filter((organization) => organization !== undefined)
  const stop = () => {
    problems.push(...reading.problems)
    stopAtProblems()
  }
  return { organizations: read, stopAtProblems: stop }
}

function parse(content: string) {
  const lines = new LineCounter()
  const options = { lineCounter: lines, prettyErrors: false, version: '1.2', schema: 'core', stringKeys: true } as const
  const documents = parseAllDocuments(content, options)
  return { documents: Array.isArray(documents) ? documents : [], lines }
}

function syntaxProblems({ errors }: Pick<Document, 'errors'>, lines: LineCounter): Problem[] {
  return errors.map(({ message, pos }) => {
    const { line, col } = lines.linePos(pos[0])
    return { line, column: col, message }
  })
}

function readOrganization(reading: Reading, node: Node | null): WantedOrganization | undefined {
  const spot = { node, path: '' }
  const found = reading.members(spot, members, 'must be a map with the members of an organization')
  if (!found) return undefined
  if (!found.has('version')) reading.refuse(spot, 'version: is required, and must be 1')
  const read = ([name, type]: [string, FieldType]) => {
    const member = found.get(name)
    return [name, member && type.read(reading, member)]
  }
  const head = Object.fromEntries(Object.entries(heads).map(read)) as Record<string, string | undefined>
  const settings = found.get('settings')
  return {
    organizationId: head.organization?.toLowerCase(),
    apiKey: head.api_key,
    pricingTier: head.pricing_tier,
    settings: settings && readThing(reading, settings, { types: settingTypes, required: [] }),
    things: Object.fromEntries(
      sections.map((section) => [section.name, readThings(reading, found.get(section.name), section)]),
    ),
    refuse: (member, rule) => reading.refuse({ node: found.get(member)?.node ?? node, path: member }, rule),
  }
}
