import { registerApply, registerExport } from './as-code/index.ts'
import { registerCompletion } from './completion.ts'
import type { Register } from './context.ts'
import { registerDoctor } from './doctor.ts'
import { registerEvents } from './events.ts'
import { registerKeys } from './keys.ts'
import { registerListen } from './listen.ts'
import { registerTrigger } from './trigger.ts'
import { registerVerify } from './verify.ts'

/** In the order of `--help`. A new command is one line here. */
export const commands: Register[] = [
  registerListen,
  registerEvents,
  registerTrigger,
  registerVerify,
  registerKeys,
  registerExport,
  registerApply,
  registerDoctor,
  registerCompletion,
]
