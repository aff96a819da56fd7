import { defineConfig } from 'vitest/config'

/** `npm run test:printed`: it installs a fresh clone, so it is no part of `npm test`. */
export default defineConfig({
  test: {
    name: 'printed',
    include: ['server/tests/printed/*.test.ts'],
    // The worlds share the installation, the ports that are printed, and the processor.
    fileParallelism: false,
    testTimeout: 1_800_000,
    hookTimeout: 900_000,
  },
})
