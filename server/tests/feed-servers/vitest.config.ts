import { defineConfig } from 'vitest/config'

/** `npm run test:feed`: with standbys, servers of its own and long waits, so it is no part of `npm test`. */
export default defineConfig({
  test: {
    // Whose server `globalSetup` makes: a folder of programs as in `scripts/test-server.ts`, else the embedded ones.
    name: process.env.SIGNET_TEST_SERVER ? 'given' : 'embedded',
    include: ['server/tests/feed/standbys/*.test.ts'],
    globalSetup: 'server/tests/support/global-setup.ts',
    testTimeout: 300_000,
    hookTimeout: 120_000,
  },
})
