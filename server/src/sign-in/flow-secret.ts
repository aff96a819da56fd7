import { createCipheriv, createDecipheriv, createHash, createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import type { Expected } from '../providers/index.ts'

/*
 * The secret of a flow is in the browser's cookie and nowhere else; the database has its hash. Nonce and PKCE verifier are
 * sealed under it: neither who reads the database nor a browser without the cookie can finish the sign-in.
 */
const secretForm = /^[\w-]{43}$/
const algorithm = 'aes-256-gcm'
/** Each secret seals one value in its life, so its key never meets a nonce twice. */
const nonce = Buffer.alloc(12)
const tagLength = 16

/** The state is left out: it is known by its hash, and the browser brings it back. */
type Sealed = Omit<Expected, 'state'>

export const makeSecret = (): string => randomBytes(32).toString('base64url')

export const isSecret = (text: string): boolean => secretForm.test(text)

const keyOf = (secret: string): KeyObject =>
  createSecretKey(createHash('sha256').update('signet flow key').update(secret).digest())

export function sealExpected(expected: Sealed, secret: string): Buffer {
  const cipher = createCipheriv(algorithm, keyOf(secret), nonce)
  return Buffer.concat([cipher.update(JSON.stringify(expected)), cipher.final(), cipher.getAuthTag()])
}

/** Throws unless it was sealed under this secret. */
export function openExpected(sealed: Buffer, secret: string): Sealed {
  const decipher = createDecipheriv(algorithm, keyOf(secret), nonce).setAuthTag(sealed.subarray(-tagLength))
  const text = Buffer.concat([decipher.update(sealed.subarray(0, -tagLength)), decipher.final()])
  return JSON.parse(text.toString())
}
