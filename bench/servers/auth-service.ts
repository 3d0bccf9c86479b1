/** What auth.bench.ts measures. */
import '../../packages/api-server/test/auth/checked-answers.ts'
