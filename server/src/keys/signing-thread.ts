// A thread of its own that signs what `signing.ts` sends it, in the order in which it comes.
import { parentPort, workerData } from 'node:worker_threads'
import { keepNewest } from '../keep-newest.ts'
import { signJwt } from './sign-jwt.ts'
import type { SigningKey } from './signing-key.ts'

/** Tokens to sign. A key is sent once, and named by its `kid` as long as the thread keeps it. */
export type Order = { keys: (SigningKey | string)[]; payloads: string[] }

/** As many keys as whoever sends takes for kept. */
export type Settings = { maxKeys: number }

const { maxKeys } = workerData as Settings
const kept = new Map<string, SigningKey>()

const keyOf = (key: SigningKey | string): SigningKey => {
  if (typeof key === 'string') return kept.get(key) as SigningKey
  keepNewest(kept, key.kid, key, maxKeys)
  return key
}

parentPort?.on('message', ({ keys, payloads }: Order) => {
  const sign = (payload: string, index: number) => signJwt({ key: keyOf(keys[index] as SigningKey | string), payload })
  parentPort?.postMessage(payloads.map(sign))
})
