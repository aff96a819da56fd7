import { defineConfig } from 'vitest/config'

/** `npm run test:failover`: with programs of Debian and as root, so it is no part of `npm test`. */
export default defineConfig({
  test: {
    include: ['server/tests/failover/*.test.ts'],
    // A round needs a cluster that the one before it left healthy.
    bail: 1,
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
})
