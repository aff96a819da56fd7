import { createCipheriv, createDecipheriv, createHash, createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import type { Expected } from '../providers/index.ts'

/*
 * The secret of a flow is only in the browser's cookie; the database has its hash. Nonce and PKCE verifier are encrypted
 * with it: neither a reader of the database nor a browser without the cookie can finish the sign-in.
 */
const secretForm = /^[\w-]{43}$/
const algorithm = 'aes-256-gcm'
/** Constant: each secret encrypts only one value, so no nonce is used twice with its key. */
const nonce = Buffer.alloc(12)
const tagLength = 16

/** Without the state: the database has its hash, and the browser sends it back. */
type StoredExpected = Omit<Expected, 'state'>

export const makeSecret = (): string => randomBytes(32).toString('base64url')

export const isSecret = (text: string): boolean => secretForm.test(text)

const keyOf = (secret: string): KeyObject =>
  createSecretKey(createHash('sha256').update('signet flow key').update(secret).digest())

export function encryptExpected(expected: StoredExpected, secret: string): Buffer {
  const cipher = createCipheriv(algorithm, keyOf(secret), nonce)
  return Buffer.concat([cipher.update(JSON.stringify(expected)), cipher.final(), cipher.getAuthTag()])
}

/** Throws unless it was encrypted with this secret. */
export function decryptExpected(encrypted: Buffer, secret: string): StoredExpected {
  const decipher = createDecipheriv(algorithm, keyOf(secret), nonce).setAuthTag(encrypted.subarray(-tagLength))
  const text = Buffer.concat([decipher.update(encrypted.subarray(0, -tagLength)), decipher.final()])
  return JSON.parse(text.toString())
}
