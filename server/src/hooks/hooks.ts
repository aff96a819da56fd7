import { type CallHook, type CallHookDependencies, createCallHook } from './call-hook.ts'
import { createRunTokenMinted, type RunTokenMinted } from './run-token-minted.ts'
import { createSlots } from './slots.ts'

export type Hooks = {
  runTokenMinted: RunTokenMinted
  callHook: CallHook
  /** Closes the egress client: requests in flight fail. */
  stop(): Promise<void>
}

type Dependencies = Omit<CallHookDependencies, 'slots'> & {
  /** Calls at once. */
  caps: { inAll: number; perOrganization: number }
}

export function createHooks({ caps, ...dependencies }: Dependencies): Hooks {
  const callHook = createCallHook({ ...dependencies, slots: createSlots(caps) })
  const { database, clock, egress } = dependencies
  return { callHook, runTokenMinted: createRunTokenMinted({ database, clock, callHook }), stop: egress.close }
}
