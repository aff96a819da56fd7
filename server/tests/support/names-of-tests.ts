import dns from 'node:dns'
import { syncBuiltinESMExports } from 'node:module'

/** Loaded before a program: names that end in `.test` or `.example.com` are this machine, as they are for the real browser. */
const { lookup } = dns
const replaced = (name: string, ...others: [never, never]) =>
  lookup(/\.(test|example\.com)$/.test(name) ? '127.0.0.1' : name, ...others)

dns.lookup = replaced as typeof lookup
syncBuiltinESMExports()
