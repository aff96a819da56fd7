import { type CallHook, type CallHookDependencies, createCallHook } from './call-hook.ts'
import { createRunTokenMinted, type RunTokenMinted } from './run-token-minted.ts'
import { createSlots } from './slots.ts'

export type Hooks = {
  runTokenMinted: RunTokenMinted
  callHook: CallHook
  /** Breaks off the calls that are under way. */
  stop(): Promise<void>
}

type Dependencies = Omit<CallHookDependencies, 'slots'> & {
  limits: { total: number; perOrganization: number }
}

export function createHooks({ limits, ...dependencies }: Dependencies): Hooks {
  const callHook = createCallHook({ ...dependencies, slots: createSlots(limits) })
  const { database, clock, egress } = dependencies
  return { callHook, runTokenMinted: createRunTokenMinted({ database, clock, callHook }), stop: egress.close }
}
