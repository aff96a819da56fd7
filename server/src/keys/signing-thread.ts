// A thread of its own that signs what `signing.ts` sends it. It says once that it is ready.
import { parentPort } from 'node:worker_threads'
import { signJwt, type Unsigned } from './sign-jwt.ts'

export type Order = { id: number; tokens: Unsigned[] }
export type Answer = 'ready' | { id: number; jwts: string[] }

const answer = (message: Answer) => parentPort?.postMessage(message)

parentPort?.on('message', ({ id, tokens }: Order) => answer({ id, jwts: tokens.map(signJwt) }))
answer('ready')
