#include "base/status.h"

namespace emberline {

const char* code_name(ErrorCode code) {
  switch (code) {
    case ErrorCode::kOk: return "OK";
    case ErrorCode::kFileNotFound: return "FILE_NOT_FOUND";
    case ErrorCode::kFileAccessDenied: return "FILE_ACCESS_DENIED";
    case ErrorCode::kFileNotRegular: return "FILE_NOT_REGULAR";
    case ErrorCode::kFileIo: return "FILE_IO";
    case ErrorCode::kModelNotGguf: return "MODEL_NOT_GGUF";
    case ErrorCode::kModelVersionUnsupported: return "MODEL_VERSION_UNSUPPORTED";
    case ErrorCode::kModelTruncated: return "MODEL_TRUNCATED";
    case ErrorCode::kModelCorrupt: return "MODEL_CORRUPT";
    case ErrorCode::kModelMetadataMissing: return "MODEL_METADATA_MISSING";
    case ErrorCode::kModelMetadataInvalid: return "MODEL_METADATA_INVALID";
    case ErrorCode::kModelArchitectureUnsupported: return "MODEL_ARCHITECTURE_UNSUPPORTED";
    case ErrorCode::kModelTensorTypeUnsupported: return "MODEL_TENSOR_TYPE_UNSUPPORTED";
    case ErrorCode::kModelTensorMissing: return "MODEL_TENSOR_MISSING";
    case ErrorCode::kModelTensorShape: return "MODEL_TENSOR_SHAPE";
    case ErrorCode::kModelTokenizerUnsupported: return "MODEL_TOKENIZER_UNSUPPORTED";
    case ErrorCode::kModelExceedsMemory: return "MODEL_EXCEEDS_MEMORY";
    case ErrorCode::kDraftTokenizerDiffers: return "DRAFT_TOKENIZER_DIFFERS";
    case ErrorCode::kInvalidArgument: return "INVALID_ARGUMENT";
    case ErrorCode::kOutOfMemory: return "OUT_OF_MEMORY";
    case ErrorCode::kContextOverflow: return "CONTEXT_OVERFLOW";
    case ErrorCode::kSessionClosed: return "SESSION_CLOSED";
    case ErrorCode::kModelClosed: return "MODEL_CLOSED";
    case ErrorCode::kLogitsNotFinite: return "LOGITS_NOT_FINITE";
    case ErrorCode::kAllTokensMasked: return "ALL_TOKENS_MASKED";
    case ErrorCode::kDeviceUnavailable: return "DEVICE_UNAVAILABLE";
    case ErrorCode::kDeviceFailed: return "DEVICE_FAILED";
    case ErrorCode::kGrammarInvalid: return "GRAMMAR_INVALID";
    case ErrorCode::kGrammarUnsupported: return "GRAMMAR_UNSUPPORTED";
    case ErrorCode::kGrammarTooLarge: return "GRAMMAR_TOO_LARGE";
    case ErrorCode::kGrammarRejectsPrefix: return "GRAMMAR_REJECTS_PREFIX";
    case ErrorCode::kInternal: return "INTERNAL";
  }
  return "INTERNAL";
}

}  // namespace emberline
