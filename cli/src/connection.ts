import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Signet } from '@signet/management'
import { CommandError, exitCodes } from './failure.ts'

export type Connection = { url: string; organizationId: string; apiKey: string; signet: Signet }
export type ConnectionOptions = { url?: string; organization?: string; apiKey?: string }
type Environment = Record<string, string | undefined>
type Place = { url: string; organizationId: string; apiKey: string }

const standardUrl = 'http://localhost:8080'
/** A key begins with its organization. */
const keyForm = /^signet_([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})[0-9A-Za-z]{50}$/

/**
 * The service that a command talks to: by option, by setting, or beside an embedded Signet by its data folder. The key in
 * the folder is only ever sent to the address in the folder.
 */
export function connectionOf(options: ConnectionOptions, environment: Environment): Connection {
  const place = placeOf(options, environment)
  return { ...place, signet: new Signet({ ...place, baseUrl: place.url }) }
}

/** For what an organization shows to everybody. */
export function publicConnectionOf(options: ConnectionOptions, environment: Environment): Omit<Connection, 'apiKey'> {
  const { url, organizationId } = findPlace(options, environment)
  if (!organizationId) throw missingOrganization()
  return { url, organizationId, signet: new Signet({ baseUrl: url, organizationId }) }
}

/** Without a client, and without a complaint about what is missing. */
export function findPlace(options: ConnectionOptions, environment: Environment): Partial<Place> & { url: string } {
  const folder = resolve(environment.SIGNET_DATA_DIR || './data')
  const folderUrl = readAddress(join(folder, 'service-url'))
  const url =
    given([options.url, '--url'], [environment.SIGNET_URL, 'SIGNET_URL'])(checkUrl) ?? folderUrl ?? standardUrl
  const givenKey = given(
    [options.apiKey, '--api-key'],
    [environment.SIGNET_API_KEY, 'SIGNET_API_KEY'],
    [keyFile(environment.SIGNET_API_KEY_FILE), 'SIGNET_API_KEY_FILE'],
  )(checkKey)
  const apiKey = givenKey ?? (folderUrl === url ? read(join(folder, 'first-api-key')) : undefined)
  const organizationId =
    given(
      [options.organization, '--organization'],
      [environment.SIGNET_ORGANIZATION_ID, 'SIGNET_ORGANIZATION_ID'],
    )(checkOrganization) ??
    (apiKey && organizationOf(apiKey))
  return { url, ...(apiKey && { apiKey }), ...(organizationId && { organizationId }) }
}

function placeOf(options: ConnectionOptions, environment: Environment): Place {
  const { url, apiKey, organizationId } = findPlace(options, environment)
  if (!apiKey)
    throw usage(
      `API key: is required for ${url}; give --api-key or SIGNET_API_KEY, or run this beside the data folder of Signet`,
    )
  if (!keyForm.test(apiKey))
    throw new CommandError(
      'API key: is not valid: a key of Signet is "signet_" and 82 letters and digits; check --api-key, or SIGNET_API_KEY',
      exitCodes.refused,
    )
  if (!organizationId) throw missingOrganization()
  return { url, apiKey, organizationId }
}

const missingOrganization = () => usage('organization: is required; give --organization or SIGNET_ORGANIZATION_ID')
const usage = (message: string) => new CommandError(message, exitCodes.usage)

/** The first of these that there is, checked under the name by which it was given. */
const given =
  (...sources: [text: string | undefined, name: string][]) =>
  (check: (text: string, name: string) => string): string | undefined => {
    const [text, name = ''] = sources.find(([text]) => text) ?? []
    return text && check(text.trim(), name)
  }

/** The messages never show what was given: it may be a secret in the wrong place. */
function checkUrl(text: string, name: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username || url.password)
    throw usage(`${name}: must be an http or https address without user, password, query and fragment`)
  return url.href.replace(/\/+$/, '')
}

/** The platform's own complaint of such a header would show its value. */
function checkKey(text: string, name: string): string {
  if (!/^[!-~]+$/.test(text)) throw usage(`${name}: must be printable ASCII without blanks`)
  return text
}

function checkOrganization(text: string, name: string): string {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text))
    throw usage(`${name}: must be the ID of an organization, such as 019ab3c5-8e00-7000-8000-000000000001`)
  return text.toLowerCase()
}

const organizationOf = (apiKey: string) => keyForm.exec(apiKey)?.slice(1).join('-')

function keyFile(path: string | undefined): string | undefined {
  if (!path) return undefined
  const key = read(path)
  if (!key) throw usage('SIGNET_API_KEY_FILE: cannot be read, or is empty')
  return key
}

function readAddress(path: string): string | undefined {
  const url = read(path)
  return url && checkUrl(url, path)
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim() || undefined
  } catch {
    return undefined
  }
}
