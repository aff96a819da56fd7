import { defineConfig } from 'vitest/config'

/** `npm run test:console`: the console in a real browser, every page and every flow, which takes minutes. */
export default defineConfig({
  test: {
    name: 'embedded',
    include: ['console/tests/**/*.test.ts'],
    globalSetup: 'server/tests/support/global-setup.ts',
    // Each has a browser, a service and a receiver: more at once only wait for each other.
    fileParallelism: false,
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 15_000 } },
  },
})
