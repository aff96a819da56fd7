import { createRecorder } from '../../src/audit-log/index.ts'
import type { RecordChange } from '../../src/http/recorded-change.ts'
import type { Keyring } from '../../src/keys/index.ts'
import type { Clock } from '../../src/runtime/clock.ts'
import { makeKeyring } from './service.ts'

/** What an operation writes the audit log with, as of the operator. */
export const makeRecord = (clock: Clock, keyring: Keyring = makeKeyring()): RecordChange =>
  createRecorder({ clock, keyring })({
    actor: { type: 'operator', id: null, name: null },
    action: 'test',
    requestId: null,
    clientAddress: null,
  })
