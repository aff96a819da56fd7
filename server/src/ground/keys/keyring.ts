import { createCipheriv, createDecipheriv, createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto'

/**
 * Encryption at rest: AES-256-GCM under a master key. An encrypted value is laid out as
 *
 *     version (1 byte) · key id (8) · nonce (12) · ciphertext · tag (16)
 *
 * Organization and column are authenticated as additional data, so a value that was moved to another organization or
 * column cannot be decrypted. Nonces are random: safe for 2^32 values under one master key (NIST SP 800-38D, 8.3), and
 * headers, client secrets and private keys are written by hand or once a day. Answers that are kept for repeated calls come as often as
 * persons are created: at 100 a second it is 16 months (docs/operate/keys.md).
 */
const algorithm = 'aes-256-gcm'
const version = 1
const keyLength = 32
const headerLength = 9
const nonceLength = 12
const tagLength = 16
const overhead = headerLength + nonceLength + tagLength

/** More than any rotation needs. */
const maxMasterKeys = 8

/** The first key encrypts, every key decrypts, so that a master key can be replaced without downtime. */
export type MasterKeys = [Buffer, ...Buffer[]]

/** Which organization and column (`table.column`) a value belongs to. It is part of the encryption, so never rename a column here. */
export type EncryptionContext = { organizationId: string; column: string }

export type Keyring = {
  encrypt(plaintext: string | Buffer, context: EncryptionContext): Buffer
  /** Throws a `KeyringError` unless `encrypted` was made for the same context under one of the master keys. */
  decrypt(encrypted: Buffer, context: EncryptionContext): Buffer
  /**
   * Secrets for a purpose, one per master key, the same in every process. Use the first to sign and accept all of them
   * when verifying.
   */
  derive(purpose: string): Buffer[]
  /** The first bytes of every value that is encrypted under the first master key, and of no other value. */
  prefix: Buffer
}

/** Its message names the context and the problem, and nothing of the value or the keys. */
export class KeyringError extends Error {
  constructor(context: EncryptionContext, problem: string) {
    super(`${context.column} of organization ${context.organizationId}: ${problem}`)
  }
}

type Key = { key: KeyObject; header: Buffer }

export function createKeyring(masterKeys: MasterKeys): Keyring {
  // Node converts a key given as a Buffer at each use, by way of an exception; a KeyObject is used as it is.
  const [first, ...others] = masterKeys.map((key) => ({ key: createSecretKey(key), header: headerOf(key) })) as [
    Key,
    ...Key[],
  ]
  const keys = new Map([first, ...others].map(({ key, header }) => [header.toString('hex'), key]))
  return {
    encrypt: (plaintext, context) => encrypt(first.key, first.header, plaintext, context),
    decrypt: (encrypted, context) => {
      if (encrypted.length < overhead || encrypted[0] !== version)
        throw new KeyringError(context, 'not an encrypted value')
      const key = keys.get(encrypted.toString('hex', 0, headerLength))
      if (!key) throw new KeyringError(context, 'encrypted under a master key that was not given')
      return decrypt(key, encrypted, context)
    },
    derive: (purpose) =>
      [first, ...others].map(({ key }) => createHmac('sha256', key).update(`signet ${purpose}`).digest()),
    prefix: first.header,
  }
}

function encrypt(key: KeyObject, header: Buffer, plaintext: string | Buffer, context: EncryptionContext): Buffer {
  const nonce = randomBytes(nonceLength)
  const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagLength }).setAAD(additionalData(context))
  const content = typeof plaintext === 'string' ? Buffer.from(plaintext) : plaintext
  return Buffer.concat([header, nonce, cipher.update(content), cipher.final(), cipher.getAuthTag()])
}

function decrypt(key: KeyObject, encrypted: Buffer, context: EncryptionContext): Buffer {
  const nonce = encrypted.subarray(headerLength, headerLength + nonceLength)
  const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagLength })
  decipher.setAAD(additionalData(context)).setAuthTag(encrypted.subarray(-tagLength))
  const content = decipher.update(encrypted.subarray(headerLength + nonceLength, -tagLength))
  try {
    return Buffer.concat([content, decipher.final()])
  } catch {
    throw new KeyringError(context, 'changed since it was encrypted, or encrypted for another organization or column')
  }
}

/** The key id is a keyed hash: it distinguishes master keys and reveals nothing else about them. */
const headerOf = (key: Buffer): Buffer =>
  Buffer.concat([Buffer.of(version), createHmac('sha256', key).update('signet master key id').digest().subarray(0, 8)])

/** PostgreSQL returns a UUID in lower case, whichever way a request wrote it. */
const additionalData = ({ organizationId, column }: EncryptionContext): Buffer =>
  Buffer.from(JSON.stringify([organizationId.toLowerCase(), column]))

/** Reads `SIGNET_MASTER_KEY`: base64 keys of 32 bytes, separated by commas. The problem shows nothing of a key. */
export function parseMasterKeys(text: string): { masterKeys: MasterKeys } | { problem: string } {
  const [first, ...others] = text.split(',').map(parseMasterKey)
  if (others.length >= maxMasterKeys) return { problem: `must be at most ${maxMasterKeys} keys` }
  if (!first || !others.every((key) => key !== undefined)) {
    return { problem: `must be keys of ${keyLength} bytes in base64, separated by commas` }
  }
  return { masterKeys: [first, ...others] }
}

/** Strict, because Node's decoder skips unknown characters: a mistyped key would become another key. */
function parseMasterKey(text: string): Buffer | undefined {
  const key = Buffer.from(text, 'base64')
  return key.length === keyLength && key.toString('base64') === text.trim() ? key : undefined
}

/** In the form that `SIGNET_MASTER_KEY` has. */
export const makeMasterKey = (): string => randomBytes(keyLength).toString('base64')
