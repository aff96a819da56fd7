import { missingPrograms } from './support/programs.ts'

/** Before `npm run test:everything -- proxies`: tells what has to be installed, and ends with 1 when that is anything. */
const missing = missingPrograms([
  ...(['nginx', 'haproxy', 'caddy', 'pgbouncer', 'setpriv'] as const),
  ...(['initdb', 'postgres', 'pg_basebackup', 'psql'] as const),
])
for (const line of missing) console.error(line)
process.exit(missing.length === 0 ? 0 : 1)
