import type { Signet } from '@signet/management'
import { sections } from './document.ts'
import { inParallel } from './in-parallel.ts'
import { type Fields, type Present, pick, type Section } from './section.ts'
import { readSettings, readTier } from './settings.ts'
import { createVariableNames, escapeVariables } from './variables.ts'
import { triggersOf } from './webhooks.ts'
import { type Variable, writeDocument } from './write-document.ts'

/** An organization as a file that `apply` takes. What the key may not read is an error, never an empty list. */
export async function exportOrganization(signet: Signet, organizationId: string): Promise<string> {
  const pricing_tier = await readTier(signet)
  const settings = await readSettings(signet)
  const secrets = createSecrets()
  const lists: Fields = {}
  for (const section of sections) lists[section.name] = await exportSection(signet, section, secrets)
  const content = { version: 1, ...(escapeAll({ pricing_tier, settings }) as Fields), ...lists }
  return writeDocument(content, { organizationId, variables: secrets.variables })
}

/** Variables in place of values. */
function createSecrets() {
  const makeName = createVariableNames()
  const variables: Variable[] = []
  const replace = (about: string, ...words: string[]) => {
    const name = makeName(...words)
    variables.push({ name, about })
    return `\${${name}}`
  }
  return { variables, replace }
}

type Secrets = ReturnType<typeof createSecrets>

async function exportSection(signet: Signet, section: Section, secrets: Secrets): Promise<Fields[]> {
  const presents = await section.list(signet)
  const details = await inParallel(presents, async (present) => ({
    ...(await section.details?.(signet, present)),
    ...(section.name === 'webhooks' && { triggers: await triggersOf(signet, present) }),
  }))
  const things = presents.map((present, index) => ({ ...present, fields: { ...present.fields, ...details[index] } }))
  const ambiguous = namesOfSeveral(section, things)
  return things.map((thing) => exportThing(section, thing, ambiguous, secrets))
}

/** Names by which a thing is not found, because several have it. */
function namesOfSeveral({ title }: Section, things: Present[]): Set<unknown> {
  const names = things.map(({ fields }) => fields[title])
  return new Set(names.filter((name, index) => names.indexOf(name) !== index))
}

function exportThing(
  { name, title, madeByService }: Section,
  { id, fields }: Present,
  ambiguous: Set<unknown>,
  secrets: Secrets,
): Fields {
  const isAmbiguous = ambiguous.has(fields[title])
  const kept = Object.keys(fields).filter((field) => field !== madeByService || isAmbiguous)
  const shown = escapeAll(pick(fields, kept)) as Fields
  if (name === 'credentials') return withClientSecret(shown, fields, secrets)
  return name === 'webhooks' ? { ...shown, custom_headers: hideHeaders(id, fields, secrets) } : shown
}

function withClientSecret({ client_id, provider, ...others }: Fields, fields: Fields, { replace }: Secrets): Fields {
  const words = ['CREDENTIAL', String(fields.label || fields.client_id), 'CLIENT_SECRET']
  return {
    client_id,
    provider,
    client_secret: replace(`client secret of the credential ${fields.client_id}`, ...words),
    ...others,
  }
}

function hideHeaders(id: string, fields: Fields, { replace }: Secrets) {
  const headers = fields.custom_headers as Record<string, string[]> | undefined
  if (!headers) throw new Error(`custom_headers of webhook ${id}: the API key may not see them; an admin key may`)
  const hide = (header: string) => (value: string) =>
    value && replace(`header ${header} of the webhook ${fields.target_url}`, 'WEBHOOK', String(fields.name), header)
  return Object.fromEntries(Object.entries(headers).map(([header, values]) => [header, values.map(hide(header))]))
}

/** What stands in names and descriptions must not be taken for a variable. */
function escapeAll(value: unknown): unknown {
  if (typeof value === 'string') return escapeVariables(value)
  if (Array.isArray(value)) return value.map(escapeAll)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, escapeAll(member)]))
}
