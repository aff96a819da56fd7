import { type Document, LineCounter, type Node, parseAllDocuments } from 'yaml'
import { apiResources } from './api-resources.ts'
import { applications } from './applications.ts'
import { credentials } from './credentials.ts'
import { directories } from './directories.ts'
import { type FieldType, neededSecret, text } from './field-types.ts'
import { groups } from './groups.ts'
import { FileError, type Problem } from './problems.ts'
import { Reading } from './reading.ts'
import { type Desired, readResource, readResources } from './resources.ts'
import type { Section } from './section.ts'
import { settingTypes } from './settings.ts'
import type { Environment } from './variables.ts'
import { webhooks } from './webhooks.ts'

/** Ten thousand groups with long descriptions. */
const maxBytes = 16 * 1024 * 1024
const maxDocuments = 100

/** In the order in which they are read, shown and made. */
export const sections: Section[] = [groups, webhooks, credentials, directories, apiResources, applications]

/** An organization as one document of the file has it. What is undefined is not managed. */
export type DesiredOrganization = {
  organizationId: string | undefined
  apiKey: string | undefined
  pricingTier: string | undefined
  settings: Desired | undefined
  resources: Partial<Record<Section['name'], Desired[]>>
  refuse: (member: string, rule: string) => void
}

/** It is compared with that of the connection, so it must be one. */
const isId = /^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$/

const heads = {
  version: {
    read: (reading, location) => (reading.scalar(location) === 1 ? 1 : reading.refuse(location, 'must be 1')),
  },
  organization: {
    read: (reading, location) => {
      const id = reading.text(location)
      return id === undefined || isId.test(id) ? id : reading.refuse(location, 'must be the ID of an organization')
    },
  },
  api_key: neededSecret,
  pricing_tier: text,
} satisfies Record<string, FieldType>
const members = [...Object.keys(heads), 'settings', ...sections.map(({ name }) => name)]

/** Reads a file: one organization for each of its documents. Throws a `FileError` with all that is wrong. */
export function readFile(file: string, content: string, environment: Environment) {
  const problems: Problem[] = []
  const stopAtProblems = () => {
    if (problems.length > 0) throw new FileError(file, problems)
  }
  const { documents, lines } = parseWithin(content, problems, stopAtProblems)
  const reading = new Reading(lines, environment, problems)
  const organizations = documents.map((document) => readOrganization(reading, document.contents as Node | null))
  stopAtProblems()
  return { organizations: organizations.filter((organization) => organization !== undefined), stopAtProblems }
}

/** The documents of a file that is not too large and is YAML. */
function parseWithin(content: string, problems: Problem[], stopAtProblems: () => void) {
  const refuseFile = (message: string) => problems.push({ line: 1, column: 1, message })
  if (Buffer.byteLength(content) > maxBytes) refuseFile(`must be at most ${maxBytes} bytes`)
  stopAtProblems()
  const parsed = parse(content)
  problems.push(...parsed.documents.flatMap((document) => syntaxProblems(document, parsed.lines)))
  if (parsed.documents.length === 0) refuseFile('is empty')
  if (parsed.documents.length > maxDocuments) refuseFile(`must have at most ${maxDocuments} documents`)
  stopAtProblems()
  return parsed
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

function readOrganization(reading: Reading, node: Node | null): DesiredOrganization | undefined {
  const location = { node, path: '' }
  const found = reading.members(location, members, 'must be a map with the members of an organization')
  if (!found) return undefined
  if (!found.has('version')) reading.refuse(location, 'version: is required, and must be 1')
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
    settings: settings && readResource(reading, settings, { types: settingTypes, required: [] }),
    resources: Object.fromEntries(
      sections.map((section) => [section.name, readResources(reading, found.get(section.name), section)]),
    ),
    refuse: (member, rule) => reading.refuse({ node: found.get(member)?.node ?? node, path: member }, rule),
  }
}
