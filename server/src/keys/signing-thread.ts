// A thread of its own that signs what `signing.ts` sends it. It says once that it is ready.
import { getPriority, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { signJwt, type Unsigned } from './sign-jwt.ts'

export type Order = { id: number; tokens: Unsigned[] }
export type Answer = 'ready' | { id: number; jwts: string[] }

/**
 * Where cores are scarce whoever calls comes first, for what is signed here is called later: 4 to 8 % more deliveries a second
 * on two cores (measured). On Linux alone is a priority the thread's own.
 */
const politeness = 5
const leastPriority = 19
if (process.platform === 'linux') setPriority(Math.min(getPriority() + politeness, leastPriority))

const answer = (message: Answer) => parentPort?.postMessage(message)

parentPort?.on('message', ({ id, tokens }: Order) => answer({ id, jwts: tokens.map(signJwt) }))
answer('ready')
