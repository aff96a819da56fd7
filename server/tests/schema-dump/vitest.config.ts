import { defineConfig } from 'vitest/config'
import { findStockPrograms } from '../support/stock-postgres.ts'

/** `npm run generate -- schema-dump`: writes the dump of a release anew. */
export default defineConfig({
  test: {
    include: ['server/tests/schema-dump/make-dump.ts'],
    globalSetup: 'server/tests/support/global-setup.ts',
    // Of the oldest PostgreSQL on this machine, so that every later one can restore the dump.
    env: { SIGNET_TEST_SERVER: findStockPrograms() ?? '' },
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
})
