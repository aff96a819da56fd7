/**
 * A file of messages that only the passphrase opens: magic, salt, and each message as its length (4 bytes, big-endian), ciphertext and
 * tag. The key is made of the passphrase by scrypt; a message is AES-256-GCM under its number as the nonce. Whether a message is
 * the last one is authenticated with it, so that a file that was cut off, changed or put in another order is not taken for whole.
 */
import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { wrongArgument } from '../../ground/runtime/wrong-argument.ts'

const magic = Buffer.from('signet-move-1\n')
const saltLength = 16
const headLength = magic.length + saltLength
const tagLength = 16
/** 32 MiB of memory and some 0.3 s of a core for each guess. */
const cost = { N: 32_768, r: 8, p: 3, maxmem: 128 * 1_048_576 }
/** A message has some hundred rows. */
const maxMessageBytes = 512 * 1_048_576

const keyOf = (passphrase: string, salt: Buffer) =>
  new Promise<Buffer>((resolve, reject) => {
    scrypt(passphrase, salt, 32, cost, (error, key) => (error ? reject(error) : resolve(key)))
  })

function nonceOf(number: number): Buffer {
  const nonce = Buffer.alloc(12)
  nonce.writeBigUInt64BE(BigInt(number), 4)
  return nonce
}

const lastMark = (isLast: boolean) => Buffer.of(isLast ? 1 : 0)

/**
 * Gives what writes the file, as a whole or not at all, readable by its owner only; each time under a key of its own, for a transaction
 * may be tried again. A file that is no such one is not replaced.
 */
export async function sealTo(path: string, passphrase: string) {
  await refuseOthers(path)
  return (messages: AsyncIterable<object>) => writeSealed(path, passphrase, messages)
}

type Sealing = { salt: Buffer; key: Buffer }

async function writeSealed(path: string, passphrase: string, messages: AsyncIterable<object>) {
  const salt = randomBytes(saltLength)
  const sealing = { salt, key: await keyOf(passphrase, salt) }
  // A name that nobody can know before: a link of that name would lead elsewhere.
  const draft = `${path}.${randomBytes(8).toString('hex')}.part`
  const file = await open(draft, 'wx', 0o600)
  try {
    await writeMessages(file, sealing, messages)
    await file.sync()
    await rename(draft, path)
  } finally {
    await file.close()
    await rm(draft, { force: true })
  }
}

async function refuseOthers(path: string) {
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
  })
  if (!file) return
  const start = await readExactly(file, magic.length).finally(() => file.close())
  if (!start?.equals(magic)) throw wrongArgument(`${path}: exists, and is no file of a move`)
}

async function writeMessages(file: FileHandle, { salt, key }: Sealing, messages: AsyncIterable<object>) {
  await file.writeFile(Buffer.concat([magic, salt]))
  let number = 0
  const seal = async (text: string, isLast: boolean) => {
    const cipher = createCipheriv('aes-256-gcm', key, nonceOf(number++), { authTagLength: tagLength })
    const content = [cipher.setAAD(lastMark(isLast)).update(text), cipher.final(), cipher.getAuthTag()]
    const length = Buffer.alloc(4)
    length.writeUInt32BE(content.reduce((sum, { length }) => sum + length, 0))
    await file.writeFile(Buffer.concat([length, ...content]))
  }
  for await (const message of messages) await seal(JSON.stringify(message), false)
  await seal('{}', true)
}

/**
 * Gives what reads the file: its messages, one after the other. That throws at the first that is not as it was written, where the
 * last one is missing, and where anything comes behind it.
 */
export async function openSealed(path: string, passphrase: string) {
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    throw wrongArgument(`${path}: cannot be read (${error.code})`)
  })
  const head = await readExactly(file, headLength).finally(() => file.close())
  if (!head?.subarray(0, magic.length).equals(magic)) throw wrongArgument(`${path}: is no file of a move`)
  const key = await keyOf(passphrase, head.subarray(magic.length))
  return () => readSealed(path, key)
}

async function* readSealed(path: string, key: Buffer): AsyncGenerator<unknown> {
  const file = await open(path, 'r')
  try {
    await readExactly(file, headLength)
    for (let number = 0; ; number++) {
      const sealed = await readMessage(file, path)
      const message = unseal(sealed, key, number)
      if (message === undefined) {
        const problem = number === 0 ? 'wrong passphrase, or a changed file' : 'was changed'
        throw new Error(`${path}: ${problem}`)
      }
      if (message.isLast) return await refuseMore(file, path)
      yield JSON.parse(message.text)
    }
  } finally {
    await file.close()
  }
}

/** No message vouches for what stands behind the last one. */
async function refuseMore(file: FileHandle, path: string) {
  if (await readExactly(file, 1)) throw new Error(`${path}: was changed: there is more behind its end`)
}

async function readMessage(file: FileHandle, path: string): Promise<Buffer> {
  const length = (await readExactly(file, 4))?.readUInt32BE() ?? 0
  const isPossible = length >= tagLength && length <= maxMessageBytes
  const sealed = isPossible ? await readExactly(file, length) : undefined
  if (!sealed) throw new Error(`${path}: is not complete`)
  return sealed
}

function unseal(sealed: Buffer, key: Buffer, number: number): { text: string; isLast: boolean } | undefined {
  for (const isLast of [false, true]) {
    const decipher = createDecipheriv('aes-256-gcm', key, nonceOf(number), { authTagLength: tagLength })
    decipher.setAAD(lastMark(isLast)).setAuthTag(sealed.subarray(-tagLength))
    const content = decipher.update(sealed.subarray(0, -tagLength))
    try {
      return { text: Buffer.concat([content, decipher.final()]).toString(), isLast }
    } catch {
      // Not sealed as this one.
    }
  }
  return undefined
}

/** Undefined where the file ends before. */
async function readExactly(file: FileHandle, length: number): Promise<Buffer | undefined> {
  const buffer = Buffer.alloc(length)
  let filled = 0
  while (filled < length) {
    const { bytesRead } = await file.read(buffer, filled, length - filled)
    if (bytesRead === 0) return undefined
    filled += bytesRead
  }
  return buffer
}
