import { toEmailDomain } from '../organizations/index.ts'

export const handleTypes = ['EmailAddress', 'PhoneNumber'] as const
export type HandleType = (typeof handleTypes)[number]

/** `key` is the canonical form that must be unique; `value` is the caller's spelling. */
export type Handle = { type: HandleType; value: string; key: string }

/** Per person. */
export const maxHandles = 20
const maxEmailLength = 254

/** The local part: words joined by single dots, of characters that need no quotes. */
const localPart = /^(?=.{1,64}$)[^\s\p{C}"(),.:;<>@[\\\]]+(?:\.[^\s\p{C}"(),.:;<>@[\\\]]+)*$/u
/** E.164. */
const phoneNumber = /^\+[1-9]\d{1,14}$/

export const handleRules: Record<HandleType, string> = {
  EmailAddress: `must be an e-mail address of at most ${maxEmailLength} characters, such as jo@example.com`,
  PhoneNumber: 'must be a phone number as in E.164, such as +12025550123',
}

/** Undefined when `value` breaks the rule of its type. */
export function readHandle(type: HandleType, value: string): Handle | undefined {
  const key = type === 'EmailAddress' ? emailKey(value) : phoneKey(value)
  return key === undefined ? undefined : { type, value, key }
}

/** `EmailAddress:jo@example.com`. No handle contains a blank: one is a `+` that form decoding of the query has replaced. */
export function parseHandle(text: string): Handle | undefined {
  const type = handleTypes.find((known) => text.startsWith(`${known}:`))
  return type && readHandle(type, text.slice(type.length + 1).replaceAll(' ', '+'))
}

/** What the keys of handles begin with whose values begin with `text`. A blank is a `+`, as above. */
export const toHandlePrefix = (text: string) => toAsciiLowerCase(text.replaceAll(' ', '+').normalize('NFC'))

const phoneKey = (value: string): string | undefined => (phoneNumber.test(value) ? value : undefined)

/**
 * The local part in NFC (RFC 8265, 3.3.2), the domain as A-labels, and ASCII letters in lower case: in practice no two mailboxes differ
 * only in those. A rule that the composed form breaks is broken, however it is spelt.
 */
function emailKey(value: string): string | undefined {
  const [given = '', domain = '', ...more] = value.split('@')
  const local = given.normalize('NFC')
  if (more.length > 0 || [...value].length > maxEmailLength || !localPart.test(local)) return undefined
  const asciiDomain = toEmailDomain(domain)
  return asciiDomain && `${toAsciiLowerCase(local)}@${asciiDomain}`
}

const toAsciiLowerCase = (text: string) => text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase())
