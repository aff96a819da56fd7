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

type Read<Value> = (text: string) => { value: Value } | { problem: string }

/**
 * Reads the text of one setting, or says which rule it breaks. `form` is the rule, as it follows "must be". `accepted` are values that it
 * takes, each bound and each word among them: what a later version must take as well.
 */
export type Parse<Value> = Read<Value> & { form: string; accepted: string[] }

const parser = <Value>(form: string, accepted: string[], read: Read<Value>): Parse<Value> =>
  Object.assign(read, { form, accepted })

/** Has its form as the only rule. */
const ruled = <Value>(form: string, accepted: string[], find: (text: string) => Value | undefined): Parse<Value> =>
  parser(form, accepted, (input) => {
    const value = find(input)
    return value === undefined ? { problem: `must be ${form}` } : { value }
  })

export const text = ruled('any text', ['any'], (input) => input)

export const uuid = ruled('a UUID', ['0199a3f2-5c00-7000-8000-0242ac120001'], (input) =>
  isUuid(input) ? input.toLowerCase() : undefined,
)

export const groupName = ruled(groupNameRule.replace(/^must be /, ''), ['operators'], (input) =>
  groupNameForm.test(input) ? input : undefined,
)

export const integer = (min: number, max: number) =>
  ruled(`an integer from ${min} to ${max}`, [`${min}`, `${max}`], (input) => {
    const value = /^\d{1,9}$/.test(input) ? Number(input) : Number.NaN
    return value >= min && value <= max ? value : undefined
  })

export const duration = (minMs: number) =>
  parser(
    `a duration such as 500ms, 10s or 1m30s${minMs > 1 ? `, at least ${formatDuration(minMs)}` : ''}`,
    [formatDuration(minMs), '25h30m'],
    (input) => {
      const value = parseDuration(input)
      if (value === undefined) return { problem: 'must be a duration such as 500ms, 10s or 1m30s' }
      return value >= minMs ? { value } : { problem: `must be at least ${formatDuration(minMs)}` }
    },
  )

export const onOrOff = ruled('on or off', ['on', 'off'], (input) =>
  input === 'on' || input === 'off' ? input === 'on' : undefined,
)

export const trueOrFalse = ruled('true or false', ['true', 'FALSE'], (input) =>
  /^(true|false)$/i.test(input) ? input.toLowerCase() === 'true' : undefined,
)

export const oneOf = (...values: string[]) =>
  ruled(values.length > 2 ? `one of ${values.join(', ')}` : values.join(' or '), values, (input) =>
    values.find((value) => value === input),
  )

export const share = ruled('a number from 0 to 1', ['0', '0.25', '1'], (input) =>
  /^(?:0|1|[01]?\.\d{1,9})$/.test(input) && Number(input) <= 1 ? Number(input) : undefined,
)

export const httpAddress = ruled('an http or https address', ['http://127.0.0.1:4318'], (input) =>
  /^https?:$/.test(URL.parse(input)?.protocol ?? '') ? input : undefined,
)

/** An origin, perhaps with a path, without a trailing slash: paths and issuers are appended to it. */
export const baseAddress = parser(
  'an https address without user, query or fragment; also http where the host is a loopback name',
  ['https://example.com/identity', 'http://localhost:8080'],
  (input) => {
    const url = URL.parse(input)
    if (!url || !/^https?:$/.test(url.protocol)) return { problem: 'must be an http or https address' }
    if (url.username || url.password || url.search || url.hash)
      return { problem: 'must have no user, query or fragment' }
    if (url.protocol === 'http:' && !isLoopbackName(url.hostname))
      return { problem: 'must be https unless the host is a loopback name' }
    return { value: `${url.origin}${url.pathname.replace(/\/+$/, '')}` }
  },
)

/** Stays text: the files that it names are read again at each use. */
export const postgresUrl = parser(
  'a connection string of PostgreSQL',
  ['postgresql://signet@host1:5432,host2:5432/signet?sslmode=require', 'host=/run/postgresql dbname=signet'],
  (input) => {
    const read = readConnection(input)
    return 'problem' in read ? read : { value: input }
  },
)

/** Long enough that nobody guesses it; a key that Signet made and stored has the same form. */
export const operatorKeyForm = /^[\x21-\x7e]{24,}$/

export const operatorKey = ruled('at least 24 visible ASCII characters', ['k'.repeat(24)], (input) =>
  operatorKeyForm.test(input) ? input : undefined,
)

/** What it seals travels between machines. */
const minPassphrase = 16
export const passphrase = ruled(`at least ${minPassphrase} characters`, ['p'.repeat(minPassphrase)], (input) =>
  input.length >= minPassphrase ? input : undefined,
)

/** Of zeros and of ones: nobody has one of them for a secret. */
const anyMasterKeys = [0, 1].map((byte) => Buffer.alloc(32, byte).toString('base64'))

export const masterKeyList = parser<MasterKeys>(
  '32 bytes in base64, or several times that, separated by commas',
  [anyMasterKeys.join(',')],
  (input) => {
    const parsed = parseMasterKeys(input)
    return 'problem' in parsed ? parsed : { value: parsed.masterKeys }
  },
)

export const regionName = ruled('1 to 63 letters, digits, _ or -', ['eu-west_1'], (input) =>
  /^[A-Za-z0-9_-]{1,63}$/.test(input) ? input : undefined,
)

/** Separated by commas. */
const listed = (input: string) => input.split(',').map((part) => part.trim())

export const regionNames = parser<string[]>('names of regions, separated by commas', ['eu, us'], (input) => {
  const names = listed(input)
  const refused = names.map(regionName).find((parsed) => 'problem' in parsed)
  if (refused) return refused
  return new Set(names).size < names.length ? { problem: 'must name each region once' } : { value: names }
})

export const roles = ruled('api, worker or api,worker', ['api', 'worker', 'api,worker'], (input) => {
  const names = listed(input)
  if (names.some((name) => name !== 'api' && name !== 'worker')) return undefined
  return { api: names.includes('api'), worker: names.includes('worker') }
})

export const resolveOverrides = parser<ResolveOverrides>(
  'host:port:address, several separated by commas',
  ['receiver.test:9443:127.0.0.1,other.test:443:[::1]'],
  (input) => {
    const parsed = parseResolveOverrides(input)
    return 'problem' in parsed ? parsed : { value: parsed.overrides }
  },
)

const anyCidrs = ['10.0.0.7', '10.0.0.0/8,fd00::/8']

export const cidrs = parser<string[]>('addresses or CIDRs, separated by commas', anyCidrs, (input) => {
  const parsed = parseCidrs(input)
  return 'problem' in parsed ? parsed : { value: parsed.cidrs }
})

export const ports = ruled<ReadonlySet<number>>(
  'ports from 1 to 65535, separated by commas',
  ['1,65535', '443, 8443'],
  (input) => {
    const numbers = listed(input).map((part) => (/^\d{1,5}$/.test(part) ? Number(part) : 0))
    return numbers.every((port) => port >= 1 && port <= 65_535) ? new Set(numbers) : undefined
  },
)

/** A process that trusts all addresses would accept any address that a client claims. */
export const proxies = parser<string[]>('addresses or CIDRs, separated by commas, but not all', anyCidrs, (input) => {
  const parsed = cidrs(input)
  const all = 'value' in parsed && parsed.value.find((cidr) => cidr.endsWith('/0'))
  return all ? { problem: `${all} would trust every address` } : parsed
})

/** `30/60`: thirty a minute, sixty at once. */
export const rate = ruled<Rate>('<per minute>/<burst>, such as 30/60', ['1/1', '999999/999999'], (input) => {
  const [, perMinute, burst] = /^(\d{1,6})\/(\d{1,6})$/.exec(input) ?? []
  if (!Number(perMinute) || !Number(burst)) return undefined
  return { perMinute: Number(perMinute), burst: Number(burst) }
})

/** The setting is its path. */
export const jsonFile = <Value>(parse: Read<Value>) =>
  parser<Value>('the path of a JSON file', [], (input) => {
    try {
      return parse(readFileSync(resolve(input), 'utf8'))
    } catch (error) {
      return { problem: `cannot be read (${(error as NodeJS.ErrnoException).code ?? 'not JSON'})` }
    }
  })

const levels = ['fatal', 'error', 'warn', 'info', 'debug', 'silent']

export const logLevel = ruled('fatal, error, warn, info, debug or silent', levels, (input) =>
  levels.find((level) => level === input),
)
