// A thread of its own that signs what `signing.ts` sends it. It says once that it is ready.
import { constants, getPriority, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { signJwt, type Unsigned } from './sign-jwt.ts'

export type Order = { id: number; tokens: Unsigned[] }
export type Answer = 'ready' | { id: number; jwts: string[] }

/**
 * Where cores are scarce whoever calls comes first, for what is signed here is called later: 4 to 8 % more deliveries a second
 * on two cores (measured). On Linux alone is a priority the thread's own.
 */
const stepsBelow = 5
try {
  const lower = Math.min(getPriority() + stepsBelow, constants.priority.PRIORITY_LOW)
  if (process.platform === 'linux') setPriority(lower)
} catch {
  // Not everybody may; then it keeps the one that it has.
}

const answer = (message: Answer) => parentPort?.postMessage(message)

parentPort?.on('message', ({ id, tokens }: Order) => answer({ id, jwts: tokens.map(signJwt) }))
answer('ready')
