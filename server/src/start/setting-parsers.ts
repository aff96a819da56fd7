import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { readConnection } from '../ground/database/connection.ts'
import type { Rate } from '../ground/http/socket/rate-limit.ts'
import { type MasterKeys, parseMasterKeys } from '../ground/keys/index.ts'
import { parseCidrs, parseResolveOverrides, type ResolveOverrides } from '../ground/outbound/index.ts'
import { formatDuration, parseDuration } from '../ground/runtime/duration.ts'
import { isUuid } from '../ground/runtime/identifiers.ts'
import { isLoopbackName } from '../ground/runtime/loopback-name.ts'
import { groupNameForm, groupNameRule } from '../identity/persons/groups/index.ts'

/** Reads the text of one setting, or says which rule it breaks. */
export type Parse<Value> = (text: string) => { value: Value } | { problem: string }

export const text: Parse<string> = (value) => ({ value })

export const uuid: Parse<string> = (value) =>
  isUuid(value) ? { value: value.toLowerCase() } : { problem: 'must be a UUID' }

export const groupName: Parse<string> = (value) => (groupNameForm.test(value) ? { value } : { problem: groupNameRule })

export const integer =
  (min: number, max: number): Parse<number> =>
  (input) => {
    const value = /^\d{1,9}$/.test(input) ? Number(input) : Number.NaN
    return value >= min && value <= max ? { value } : { problem: `must be an integer from ${min} to ${max}` }
  }

export const duration =
  (minMs: number): Parse<number> =>
  (input) => {
    const value = parseDuration(input)
    if (value === undefined) return { problem: 'must be a duration such as 500ms, 10s or 1m30s' }
    return value >= minMs ? { value } : { problem: `must be at least ${formatDuration(minMs)}` }
  }

export const onOrOff: Parse<boolean> = (input) =>
  input === 'on' || input === 'off' ? { value: input === 'on' } : { problem: 'must be on or off' }

export const trueOrFalse: Parse<boolean> = (input) =>
  /^(true|false)$/i.test(input) ? { value: input.toLowerCase() === 'true' } : { problem: 'must be true or false' }

export const oneOf =
  (...values: string[]): Parse<string> =>
  (input) =>
    values.includes(input)
      ? { value: input }
      : { problem: values.length > 2 ? `must be one of ${values.join(', ')}` : `must be ${values.join(' or ')}` }

export const share: Parse<number> = (input) =>
  /^(?:0|1|[01]?\.\d{1,9})$/.test(input) && Number(input) <= 1
    ? { value: Number(input) }
    : { problem: 'must be a number from 0 to 1' }

export const httpAddress: Parse<string> = (input) =>
  /^https?:$/.test(URL.parse(input)?.protocol ?? '')
    ? { value: input }
    : { problem: 'must be an http or https address' }

/** An origin, perhaps with a path, without a trailing slash: paths and issuers are appended to it. */
export const baseAddress: Parse<string> = (input) => {
  const url = URL.parse(input)
  if (!url || !/^https?:$/.test(url.protocol)) return { problem: 'must be an http or https address' }
  if (url.username || url.password || url.search || url.hash) return { problem: 'must have no user, query or fragment' }
  if (url.protocol === 'http:' && !isLoopbackName(url.hostname))
    return { problem: 'must be https unless the host is a loopback name' }
  return { value: `${url.origin}${url.pathname.replace(/\/+$/, '')}` }
}

/** Stays text: the files that it names are read again at each use. */
export const postgresUrl: Parse<string> = (input) => {
  const read = readConnection(input)
  return 'problem' in read ? read : { value: input }
}

/** Long enough that nobody guesses it; a key that Signet made and stored has the same form. */
export const operatorKeyForm = /^[\x21-\x7e]{24,}$/

export const operatorKey: Parse<string> = (input) =>
  operatorKeyForm.test(input) ? { value: input } : { problem: 'must be at least 24 visible ASCII characters' }

/** What it seals travels between machines. */
const minPassphrase = 16
export const passphrase: Parse<string> = (input) =>
  input.length >= minPassphrase ? { value: input } : { problem: `must be at least ${minPassphrase} characters` }

export const masterKeyList: Parse<MasterKeys> = (input) => {
  const parsed = parseMasterKeys(input)
  return 'problem' in parsed ? parsed : { value: parsed.masterKeys }
}

export const regionName: Parse<string> = (input) =>
  /^[A-Za-z0-9_-]{1,63}$/.test(input) ? { value: input } : { problem: 'must be 1 to 63 letters, digits, _ or -' }

/** Separated by commas. */
const listed = (input: string) => input.split(',').map((part) => part.trim())

export const regionNames: Parse<string[]> = (input) => {
  const names = listed(input)
  const refused = names.map(regionName).find((parsed) => 'problem' in parsed)
  if (refused) return refused
  return new Set(names).size < names.length ? { problem: 'must name each region once' } : { value: names }
}

export const roles: Parse<{ api: boolean; worker: boolean }> = (input) => {
  const names = listed(input)
  if (names.some((name) => name !== 'api' && name !== 'worker')) return { problem: 'must be api, worker or api,worker' }
  return { value: { api: names.includes('api'), worker: names.includes('worker') } }
}

export const resolveOverrides: Parse<ResolveOverrides> = (input) => {
  const parsed = parseResolveOverrides(input)
  return 'problem' in parsed ? parsed : { value: parsed.overrides }
}

export const cidrs: Parse<string[]> = (input) => {
  const parsed = parseCidrs(input)
  return 'problem' in parsed ? parsed : { value: parsed.cidrs }
}

export const ports: Parse<ReadonlySet<number>> = (input) => {
  const numbers = listed(input).map((part) => (/^\d{1,5}$/.test(part) ? Number(part) : 0))
  return numbers.every((port) => port >= 1 && port <= 65_535)
    ? { value: new Set(numbers) }
    : { problem: 'must be ports from 1 to 65535, separated by commas' }
}

/** A process that trusts all addresses would accept any address that a client claims. */
export const proxies: Parse<string[]> = (input) => {
  const parsed = cidrs(input)
  const all = 'value' in parsed && parsed.value.find((cidr) => cidr.endsWith('/0'))
  return all ? { problem: `${all} would trust every address` } : parsed
}

/** `30/60`: thirty a minute, sixty at once. */
export const rate: Parse<Rate> = (input) => {
  const [, perMinute, burst] = /^(\d{1,6})\/(\d{1,6})$/.exec(input) ?? []
  if (!Number(perMinute) || !Number(burst)) return { problem: 'must be <per minute>/<burst>, such as 30/60' }
  return { value: { perMinute: Number(perMinute), burst: Number(burst) } }
}

/** The setting is its path. */
export const jsonFile =
  <Value>(parse: Parse<Value>): Parse<Value> =>
  (input) => {
    try {
      return parse(readFileSync(resolve(input), 'utf8'))
    } catch (error) {
      return { problem: `cannot be read (${(error as NodeJS.ErrnoException).code ?? 'not JSON'})` }
    }
  }

export const logLevel: Parse<string> = (input) =>
  ['fatal', 'error', 'warn', 'info', 'debug', 'silent'].includes(input)
    ? { value: input }
    : { problem: 'must be fatal, error, warn, info, debug or silent' }
