import { extname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { ScimError, tooLarge } from '../errors.ts'
import { type Packed, unpack } from './packed-members.ts'
import type { Parsed } from './parse-thread.ts'

/** 16 MiB of JSON take some 300 MB where they are nothing but empty objects (measured); more ends the thread. */
const resourceLimits = { maxOldGenerationSizeMb: 512 }

/** In the package it is compiled, as this file is. */
const threadFile = join(import.meta.dirname, `parse-thread${extname(import.meta.filename)}`)

/**
 * Parses a large body in a thread of its own, which takes the thread of all requests no time: it gets the members of a group as one text,
 * since reading a copy of them would take longer than parsing them (measured). `bytes` cannot be used any more.
 */
export async function parseInThread(bytes: Buffer): Promise<unknown> {
  const worker = new Worker(threadFile, {
    workerData: bytes,
    transferList: [bytes.buffer as ArrayBuffer],
    resourceLimits,
  })
  const parsed = await answerOf(worker)
  if ('refusal' in parsed) throw new ScimError(parsed.refusal.status, parsed.refusal.detail, parsed.refusal.scimType)
  return unpack(parsed.packed as Packed)
}

async function answerOf(worker: Worker): Promise<Parsed> {
  try {
    return await messageOf(worker)
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_WORKER_OUT_OF_MEMORY') throw tooLarge('body: must have fewer values')
    throw error
  } finally {
    void worker.terminate()
  }
}

/** A thread may also end, or send what cannot be read here; whoever waits must hear of that too. */
function messageOf(worker: Worker): Promise<Parsed> {
  const { promise, resolve, reject } = Promise.withResolvers<Parsed>()
  worker.once('message', resolve).once('messageerror', reject).once('error', reject)
  worker.once('exit', (code) => reject(new Error(`the thread of a body ended with ${code}`)))
  return promise
}
