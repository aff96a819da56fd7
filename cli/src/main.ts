#!/usr/bin/env node
// The program of the package @signet/cli: what needs nothing but the interface of a service.
import { runProgram } from './program.ts'

await runProgram(process.argv.slice(2), { name: 'signet-cli' })
