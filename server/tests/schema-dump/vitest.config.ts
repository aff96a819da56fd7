import { defineConfig } from 'vitest/config'

/** `npm run dump:schema`: writes the dump of a release anew. */
export default defineConfig({
  test: {
    // Of the oldest PostgreSQL on this machine, so that every later one can restore the dump.
    name: 'stock',
    include: ['server/tests/schema-dump/make-dump.ts'],
    globalSetup: 'server/tests/support/global-setup.ts',
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
})
