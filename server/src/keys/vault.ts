import { createCipheriv, createDecipheriv, createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto'

/**
 * Encryption at rest: AES-256-GCM under a master key. A sealed value is laid out as
 *
 *     version (1 byte) · key id (8) · nonce (12) · ciphertext · tag (16)
 *
 * Organization and column are its additional data, so a value that was moved to another organization or column does not
 * open. Nonces are random: safe for 2^32 values under one master key (NIST SP 800-38D, 8.3), and what is sealed here (a
 * webhook's headers, a client secret, a private key) is written by hand or by the day.
 */
const algorithm = 'aes-256-gcm'
const version = 1
const keyLength = 32
const headerLength = 9
const nonceLength = 12
const tagLength = 16
const overhead = headerLength + nonceLength + tagLength

/** Enough for any rotation; each more would only be one more key to lose. */
const maxMasterKeys = 8

/** The first one seals, all of them open: that is how a master key is changed without a gap. */
export type MasterKeys = [Buffer, ...Buffer[]]

/** What a value belongs to; `column` as `table.column`. Needed again to open it, and never to be renamed. */
export type Place = { organizationId: string; column: string }

export type Vault = {
  seal(plaintext: string | Buffer, place: Place): Buffer
  /** Throws a `VaultError` unless `sealed` was sealed for this very place under one of the master keys. */
  open(sealed: Buffer, place: Place): Buffer
  /**
   * Secrets for a purpose, the same in every process with these master keys: what is made with the first one is recognised
   * by any of them.
   */
  derive(purpose: string): Buffer[]
  /** How every value begins that is sealed under the first master key, and no other one. */
  prefix: Buffer
}

/** Names the place and what is wrong, and nothing of the value or the keys. */
export class VaultError extends Error {
  constructor(place: Place, problem: string) {
    super(`${place.column} of organization ${place.organizationId}: ${problem}`)
  }
}

type Key = { key: KeyObject; header: Buffer }

export function createVault(masterKeys: MasterKeys): Vault {
  // Node takes a key that is an object as it is; of one that is a Buffer it makes one at each use, by way of an exception.
  const [first, ...others] = masterKeys.map((key) => ({ key: createSecretKey(key), header: headerOf(key) })) as [
    Key,
    ...Key[],
  ]
  const keys = new Map([first, ...others].map(({ key, header }) => [header.toString('hex'), key]))
  return {
    seal: (plaintext, place) => seal(first.key, first.header, plaintext, place),
    open: (sealed, place) => {
      if (sealed.length < overhead || sealed[0] !== version) throw new VaultError(place, 'not a sealed value')
      const key = keys.get(sealed.toString('hex', 0, headerLength))
      if (!key) throw new VaultError(place, 'sealed under a master key that was not given')
      return open(key, sealed, place)
    },
    derive: (purpose) =>
      [first, ...others].map(({ key }) => createHmac('sha256', key).update(`signet ${purpose}`).digest()),
    prefix: first.header,
  }
}

function seal(key: KeyObject, header: Buffer, plaintext: string | Buffer, place: Place): Buffer {
  const nonce = randomBytes(nonceLength)
  const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagLength }).setAAD(additionalData(place))
  const content = typeof plaintext === 'string' ? Buffer.from(plaintext) : plaintext
  return Buffer.concat([header, nonce, cipher.update(content), cipher.final(), cipher.getAuthTag()])
}

function open(key: KeyObject, sealed: Buffer, place: Place): Buffer {
  const nonce = sealed.subarray(headerLength, headerLength + nonceLength)
  const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagLength })
  decipher.setAAD(additionalData(place)).setAuthTag(sealed.subarray(-tagLength))
  const content = decipher.update(sealed.subarray(headerLength + nonceLength, -tagLength))
  try {
    return Buffer.concat([content, decipher.final()])
  } catch {
    throw new VaultError(place, 'changed since it was sealed, or sealed for another place')
  }
}

/** The key id is a keyed hash: it tells master keys apart and nothing else about them. */
const headerOf = (key: Buffer): Buffer =>
  Buffer.concat([Buffer.of(version), createHmac('sha256', key).update('signet master key id').digest().subarray(0, 8)])

/** The lower case is what PostgreSQL gives back of a UUID, whichever way a request wrote it. */
const additionalData = ({ organizationId, column }: Place): Buffer =>
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

/** Strict, for Node's decoder skips what it does not know: a mistyped key would be another key. */
function parseMasterKey(text: string): Buffer | undefined {
  const key = Buffer.from(text, 'base64')
  return key.length === keyLength && key.toString('base64') === text.trim() ? key : undefined
}

/** A new one, as `SIGNET_MASTER_KEY` takes it. */
export const makeMasterKey = (): string => randomBytes(keyLength).toString('base64')
