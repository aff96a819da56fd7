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
const keyForm = /^signet_([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})/

/**
 * The service that a command talks to: by option, by setting, or beside an embedded Signet by its data folder. The key in
 * the folder is only ever sent to the address in the folder.
 */
export function connectionOf(options: ConnectionOptions, environment: Environment): Connection {
  const place = placeOf(options, environment)
  return { ...place, signet: new Signet({ ...place, baseUrl: place.url }) }
}

/** Without a client, and without a complaint about what is missing. */
export function findPlace(options: ConnectionOptions, environment: Environment): Partial<Place> & { url: string } {
  const folder = resolve(environment.SIGNET_DATA_DIR || './data')
  const givenUrl = options.url || environment.SIGNET_URL
  const folderUrl = read(join(folder, 'service-url'))
  const url = checkUrl(givenUrl || folderUrl || standardUrl)
  const givenKey = options.apiKey || environment.SIGNET_API_KEY || keyFile(environment.SIGNET_API_KEY_FILE)
  const isFolder = folderUrl !== undefined && checkUrl(folderUrl) === url
  const apiKey = givenKey || (isFolder ? read(join(folder, 'first-api-key')) : undefined)
  const organizationId =
    options.organization || environment.SIGNET_ORGANIZATION_ID || (apiKey && organizationOf(apiKey))
  return { url, ...(apiKey && { apiKey }), ...(organizationId && { organizationId }) }
}

function placeOf(options: ConnectionOptions, environment: Environment): Place {
  const { url, apiKey, organizationId } = findPlace(options, environment)
  if (!apiKey)
    throw usage(
      `API key: is required for ${url}; give --api-key or SIGNET_API_KEY, or run this beside the data folder of Signet`,
    )
  if (!organizationId) throw usage('organization: is required; give --organization or SIGNET_ORGANIZATION_ID')
  return { url, apiKey, organizationId }
}

const usage = (message: string) => new CommandError(message, exitCodes.usage)

function checkUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username)
    throw usage('--url: must be an http or https address without user, query and fragment')
  return url.href.replace(/\/+$/, '')
}

const organizationOf = (apiKey: string) => keyForm.exec(apiKey)?.slice(1).join('-')

function keyFile(path: string | undefined): string | undefined {
  if (!path) return undefined
  const key = read(path)
  if (!key) throw usage('SIGNET_API_KEY_FILE: cannot be read, or is empty')
  return key
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim() || undefined
  } catch {
    return undefined
  }
}
