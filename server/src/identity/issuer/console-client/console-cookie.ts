import { createHash, randomBytes } from 'node:crypto'
import { hostCookie, readHostCookies } from '../../../ground/http/chain/host-cookie.ts'

/** Binds a sign-in to the console to its browser. Each has a cookie of its own, so that tabs which begin at once do not overwrite each other. */
const prefix = 'signet-continue-'
/** When it began, in milliseconds, and the secret, which is stored nowhere. */
const valueForm = /^(\d{1,15})\.([\w-]{43})$/

/** Sign-ins to the console that a browser has under way at once; one more drops the oldest. Their cookies take 500 bytes of its requests. */
const maxConsoleSignIns = 5

type Options = { isSecure: boolean; maxAgeSeconds: number }
type ConsoleCookie = { suffix: string; begunAt: number; secret: string }

export const makeConsoleSecret = (): string => randomBytes(32).toString('base64url')

/** The PKCE verifier follows from the secret, so that nobody can redeem the code who only reads the database. */
export const verifierOf = (secret: string): string =>
  createHash('sha256').update('signet console verifier').update(secret).digest('base64url')

/** S256 (RFC 7636, 4.2). */
export const challengeOf = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url')

const suffixOf = (stateHash: Buffer) => stateHash.toString('hex').slice(0, 16)

const readConsoleCookies = (header: string | undefined, isSecure: boolean): ConsoleCookie[] =>
  readHostCookies(header, prefix, isSecure).flatMap(([suffix, value]) => {
    const [, begunAt, secret = ''] = valueForm.exec(value) ?? []
    return begunAt === undefined ? [] : [{ suffix, begunAt: Number(begunAt), secret }]
  })

/** The secrets that a browser has for this state. */
export const consoleSecretsOf = (header: string | undefined, stateHash: Buffer, isSecure: boolean): string[] =>
  readConsoleCookies(header, isSecure)
    .filter(({ suffix }) => suffix === suffixOf(stateHash))
    .slice(0, maxConsoleSignIns)
    .map(({ secret }) => secret)

type New = { stateHash: Buffer; secret: string; now: number }

/** `Set-Cookie` lines that add a sign-in, and drop the oldest ones of the browser beyond the limit. */
export function setConsoleCookie({ stateHash, secret, now }: New, header: string | undefined, options: Options) {
  const { isSecure } = options
  const newestFirst = readConsoleCookies(header, isSecure).sort((a, b) => b.begunAt - a.begunAt)
  const dropped = newestFirst.slice(maxConsoleSignIns - 1).map(({ suffix }) => removed(suffix, isSecure))
  const value = `${Math.floor(now)}.${secret}`
  return [hostCookie(prefix + suffixOf(stateHash), value, options), ...dropped]
}

export const dropConsoleCookie = (stateHash: Buffer, isSecure: boolean): string =>
  removed(suffixOf(stateHash), isSecure)

const removed = (suffix: string, isSecure: boolean) => hostCookie(prefix + suffix, '', { isSecure, maxAgeSeconds: 0 })
