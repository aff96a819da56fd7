#!/usr/bin/env node
// The program `signet`: the command line, with the commands that need the code of the server.
import { runProgram } from '@signet/cli'
import { registerBackup } from './start/commands/backup.ts'
import { registerCopy } from './start/commands/copy.ts'
import { registerDev } from './start/commands/dev.ts'
import { examineMore } from './start/commands/doctor.ts'
import { registerInit } from './start/commands/init.ts'
import { registerMigrate } from './start/commands/migrate.ts'
import { registerMove } from './start/commands/move.ts'
import { registerReencrypt } from './start/commands/reencrypt.ts'
import { registerRestore } from './start/commands/restore.ts'
import { registerStart } from './start/commands/start.ts'

await runProgram(process.argv.slice(2), {
  commands: [
    registerDev,
    registerStart,
    registerInit,
    registerMigrate,
    registerReencrypt,
    registerBackup,
    registerRestore,
    registerCopy,
    registerMove,
  ],
  examineMore,
})
