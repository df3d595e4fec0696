/* Prints the control variables of an MPI library (MPI_T, MPI 4.0 §15.3), one JSON object per line.
 * Runs as one process without a launcher: MPI_T works before MPI_Init, which is not called.
 * With the argument "used" it runs as several ranks and calls MPI_Init; rank 0 prints only the names of the variables
 * that exist afterward: unused components have none. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 65536, NAME = 1024 };

static void print_text(const char* text) {
  putchar('"');
  for (const unsigned char* c = (const unsigned char*)text; *c != '\0'; ++c) {
    if (*c == '"' || *c == '\\') {
      printf("\\%c", *c);
    } else if (*c < 0x20) {
      printf("\\u%04x", *c);
    } else {
      putchar(*c);
    }
  }
  putchar('"');
}

static const char* type_name(MPI_Datatype type) {
  if (type == MPI_INT)
    return "int";
  if (type == MPI_UNSIGNED)
    return "unsigned";
  if (type == MPI_UNSIGNED_LONG)
    return "unsigned long";
  if (type == MPI_UNSIGNED_LONG_LONG)
    return "unsigned long long";
  if (type == MPI_COUNT)
    return "count";
  if (type == MPI_CHAR)
    return "text";
  if (type == MPI_DOUBLE)
    return "double";
  if (type == MPI_C_BOOL)
    return "bool";
  return "other";
}

static const char* scope_name(int scope) {
  switch (scope) {
    case MPI_T_SCOPE_CONSTANT:
      return "constant";
    case MPI_T_SCOPE_READONLY:
      return "readonly";
    case MPI_T_SCOPE_LOCAL:
      return "local";
    case MPI_T_SCOPE_GROUP:
      return "group";
    case MPI_T_SCOPE_GROUP_EQ:
      return "group_eq";
    case MPI_T_SCOPE_ALL:
      return "all";
    case MPI_T_SCOPE_ALL_EQ:
      return "all_eq";
    default:
      return "other";
  }
}

static void print_items(MPI_T_enum type) {
  int count = 0;
  char name[NAME];
  int length = NAME;
  if (type == MPI_T_ENUM_NULL || MPI_T_enum_get_info(type, &count, name, &length) != MPI_SUCCESS) {
    return;
  }
  printf(", \"items\": {");
  const char* separator = "";
  for (int i = 0; i < count; ++i) {
    int value = 0;
    length = NAME;
    if (MPI_T_enum_get_item(type, i, &value, name, &length) == MPI_SUCCESS) {
      printf("%s", separator);
      print_text(name);
      printf(": %d", value);
      separator = ", ";
    }
  }
  putchar('}');
}

/* The value before MPI_Init: the default, unless the environment or a file has set it. */
static void print_value(int index, MPI_Datatype type) {
  static union {
    int i;
    unsigned u;
    unsigned long ul;
    unsigned long long ull;
    MPI_Count count;
    double d;
    _Bool flag;
    char text[TEXT];
  } value;
  MPI_T_cvar_handle handle;
  int count = 0;
  if (MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) != MPI_SUCCESS) {
    return;
  }
  memset(&value, 0, sizeof value);
  const int fits = count == 1 || (type == MPI_CHAR && count >= 0 && count < TEXT);
  if (fits && MPI_T_cvar_read(handle, &value) == MPI_SUCCESS) {
    if (type == MPI_CHAR) {
      printf(", \"value\": ");
      print_text(value.text);
    } else if (type == MPI_INT) {
      printf(", \"value\": \"%d\"", value.i);
    } else if (type == MPI_UNSIGNED) {
      printf(", \"value\": \"%u\"", value.u);
    } else if (type == MPI_UNSIGNED_LONG) {
      printf(", \"value\": \"%lu\"", value.ul);
    } else if (type == MPI_UNSIGNED_LONG_LONG) {
      printf(", \"value\": \"%llu\"", value.ull);
    } else if (type == MPI_COUNT) {
      printf(", \"value\": \"%lld\"", (long long)value.count);
    } else if (type == MPI_C_BOOL) {
      printf(", \"value\": \"%s\"", value.flag ? "true" : "false");
    } else if (type == MPI_DOUBLE) {
      printf(", \"value\": \"%.17g\"", value.d);
    }
  }
  MPI_T_cvar_handle_free(&handle);
}

/* Print the variables of components in use; MPI_Init has closed the others. */
static int print_used(void) {
  int count = 0;
  int provided = 0;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS || MPI_T_cvar_get_num(&count) != MPI_SUCCESS) {
    return 1;
  }
  static char name[NAME];
  static char description[TEXT];
  for (int i = 0; i < count && rank == 0; ++i) {
    int name_length = NAME;
    int description_length = TEXT;
    int ignored = 0;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_T_enum items = MPI_T_ENUM_NULL;
    if (MPI_T_cvar_get_info(i, name, &name_length, &ignored, &type, &items, description, &description_length, &ignored,
                            &ignored) == MPI_SUCCESS) {
      puts(name);
    }
  }
  MPI_T_finalize();
  return 0;
}

int main(int argc, char** argv) {
  if (argc > 1 && strcmp(argv[1], "used") == 0) {
    MPI_Init(&argc, &argv);
    const int code = print_used();
    MPI_Finalize();
    return code;
  }
  int provided = 0;
  int count = 0;
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS || MPI_T_cvar_get_num(&count) != MPI_SUCCESS) {
    fprintf(stderr, "this MPI library has no control variables\n");
    return 1;
  }
  MPI_Get_library_version(version, &length);
  printf("{\"library\": ");
  print_text(version);
  printf("}\n");
  static char name[NAME];
  static char description[TEXT];
  for (int i = 0; i < count; ++i) {
    int name_length = NAME;
    int description_length = TEXT;
    int verbosity = 0;
    int bind = 0;
    int scope = 0;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_T_enum items = MPI_T_ENUM_NULL;
    /* Variables of a component that failed to load keep their index and return an error. */
    if (MPI_T_cvar_get_info(i, name, &name_length, &verbosity, &type, &items, description, &description_length, &bind,
                            &scope) != MPI_SUCCESS) {
      continue;
    }
    printf("{\"name\": ");
    print_text(name);
    printf(", \"type\": \"%s\", \"scope\": \"%s\", \"verbosity\": %d, \"bound\": %s, \"description\": ",
           type_name(type), scope_name(scope), verbosity, bind == MPI_T_BIND_NO_OBJECT ? "false" : "true");
    print_text(description);
    if (bind == MPI_T_BIND_NO_OBJECT) {
      print_value(i, type);
    }
    print_items(items);
    printf("}\n");
  }
  MPI_T_finalize();
  return 0;
}
