import { spawnSync } from 'node:child_process'
import { missingPrograms } from '../proxies/support/programs.ts'

/** Before `npm run test:everything -- failover`: tells what it lacks, and ends with 1 when that is anything. */
const missing = missingPrograms([
  ...(['patroni', 'etcd', 'haproxy', 'pgbouncer', 'postgres'] as const),
  ...(['ip', 'setpriv', 'unshare'] as const),
])
if (spawnSync('/usr/bin/python3', ['-c', 'import etcd']).status !== 0)
  missing.push('The etcd module of Python is missing: apt-get install --no-install-recommends python3-etcd')
if (process.getuid?.() !== 0)
  missing.push('Only root can make the networks of this test: sudo env "PATH=$PATH" npm run test:everything -- failover')
for (const line of missing) console.error(line)
process.exit(missing.length === 0 ? 0 : 1)
